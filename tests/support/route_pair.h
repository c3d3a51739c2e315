// Two routes that face each other over links the test plays: nothing moves unless the test moves it.
#ifndef PS_TESTS_SUPPORT_ROUTE_PAIR_H_
#define PS_TESTS_SUPPORT_ROUTE_PAIR_H_

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "tests/support/fake_link.h"
#include "van/route.h"

namespace ps {

inline SArray<char> BytesOf(const std::string& text) {
  SArray<char> bytes;
  bytes.CopyFrom(text.data(), text.size());
  return bytes;
}

// A data message with `vals` as its only block that is not empty.
inline Outgoing DataOf(bool request, int timestamp, const SArray<char>& vals, int priority = 0) {
  Outgoing message;
  message.header.kind = FrameKind::kData;
  message.header.flags = static_cast<uint16_t>(kFlagHasBlocks | (request ? kFlagRequest : 0));
  message.header.data_type.fill(OTHER);
  message.header.app_id = 3;
  message.header.customer_id = 4;
  message.header.timestamp = timestamp;
  message.header.priority = priority;
  message.header.block_bytes[kBlockVals] = vals.size();
  message.blocks[kBlockVals] = vals;
  return message;
}
inline Outgoing RequestOf(int timestamp, const std::string& vals = "v", int priority = 0) {
  return DataOf(true, timestamp, BytesOf(vals), priority);
}
inline Outgoing ResponseOf(int timestamp, const std::string& vals = "v") {
  return DataOf(false, timestamp, BytesOf(vals));
}

// Memory that tells when nobody refers to it any more.
struct LentMemory {
  explicit LentMemory(size_t size) {
    bytes.reset(new char[size](), size, [is_alive = alive](char* memory) {
      *is_alive = false;
      delete[] memory;
    });
  }
  std::shared_ptr<bool> alive = std::make_shared<bool>(true);
  SArray<char> bytes;
};

// One end: an identity, what its route has sent, what came out of it.
struct RouteEnd {
  RouteEnd(Node::Role role, int id) : self(role, 0) {
    self.SetAddress("10.0.0.5", 4700 + id);
    self.SetId(id, false);
  }

  void Open(const RouteEnd& peer, const RouteSettings& settings, std::vector<Outgoing> kept = {}) {
    route = nullptr;  // it closes its wire
    wire = std::make_shared<FakeWire>();
    const RouteHost host{&self,
                         &counters,
                         [this](int64_t at_ms) {
                           std::lock_guard<std::mutex> lock(mutex);
                           wakes.push_back(at_ms);
                         },
                         settings,
                         nullptr,
                         dependents};
    route = std::make_unique<Route>(
        host, peer.self.node(),
        [this]() -> Result<std::unique_ptr<Link>> {
          ++num_connects;
          if (!connect_error.ok()) return connect_error;
          return std::unique_ptr<Link>(std::make_unique<FakeLink>(wire, piece_bytes));
        },
        std::move(kept));
  }

  // Takes one frame from `from`; false if there is none.
  bool TakeFrom(RouteEnd* from) {
    Frame frame;
    if (!from->wire->Take(&frame)) return false;
    const Result<Header> header = DecodeHeader(frame.head.data(), frame.head.size());
    route->OnFrame(header.value(), std::move(frame), &ready);
    return true;
  }

  std::vector<int> Timestamps() const {
    std::vector<int> timestamps;
    for (const Received& received : ready) timestamps.push_back(received.header.timestamp);
    return timestamps;
  }
  bool AskedToWake() {
    std::lock_guard<std::mutex> lock(mutex);
    return !wakes.empty();
  }

  Identity self;
  Counters counters;
  const std::shared_ptr<Dependents> dependents = std::make_shared<Dependents>();
  std::shared_ptr<FakeWire> wire = std::make_shared<FakeWire>();
  std::unique_ptr<Route> route;
  std::vector<Received> ready;
  Status connect_error;                                         // of the next links
  uint64_t piece_bytes = std::numeric_limits<uint64_t>::max();  // what they ask for
  int num_connects = 0;
  std::mutex mutex;
  std::vector<int64_t> wakes;  // under mutex
};

struct RoutePair {
  explicit RoutePair(const RouteSettings& settings) : a(Node::WORKER, 9), b(Node::SERVER, 8) {
    a.Open(b, settings);
    b.Open(a, settings);
  }
  // Moves frames until none is under way.
  void Exchange() {
    while (a.TakeFrom(&b) || b.TakeFrom(&a)) continue;
  }

  RouteEnd a;
  RouteEnd b;
};

}  // namespace ps
#endif  // PS_TESTS_SUPPORT_ROUTE_PAIR_H_

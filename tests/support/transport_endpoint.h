// One end of a transport under test: a transport, and what came out of it.
#ifndef PS_TESTS_SUPPORT_TRANSPORT_ENDPOINT_H_
#define PS_TESTS_SUPPORT_TRANSPORT_ENDPOINT_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "transport/transport.h"

namespace ps {

// A frame as it was received; the payload is copied and its cut forgotten.
struct ReceivedFrame {
  HeaderBytes head{};
  std::string payload;
  ReturnPath from;

  // What NumberedFrame put into the header.
  uint64_t number() const {
    uint64_t number = 0;
    std::memcpy(&number, head.data(), sizeof(number));
    return number;
  }
  uint64_t sender() const {
    uint64_t sender = 0;
    std::memcpy(&sender, head.data() + sizeof(sender), sizeof(sender));
    return sender;
  }
};

// Transports do not read headers, so tests write what they like there.
inline Frame NumberedFrame(uint64_t number, const SArray<char>& payload = {}, uint64_t sender = 0) {
  Frame frame;
  frame.head.fill(0xa5);
  std::memcpy(frame.head.data(), &number, sizeof(number));
  std::memcpy(frame.head.data() + sizeof(number), &sender, sizeof(sender));
  frame.parts[1] = payload;
  return frame;
}

// Bytes that differ from place to place, so that a shifted or mixed block is noticed.
inline SArray<char> Pattern(size_t size, uint64_t seed = 1) {
  SArray<char> bytes(size);
  uint64_t state = seed * 2654435761u + 1;
  for (size_t i = 0; i < size; ++i) {
    if (i % 8 == 0) state = state * 6364136223846793005u + 1442695040888963407u;
    bytes[i] = static_cast<char>(state >> (8 * (i % 8)));
  }
  return bytes;
}

inline std::string Text(const SArray<char>& bytes) { return std::string(bytes.data(), bytes.size()); }

// Collects what its transport receives. One polling thread.
class Endpoint : public FrameSink {
 public:
  static constexpr int64_t kPatienceMs = 20000;

  explicit Endpoint(std::unique_ptr<Transport> transport) : transport_(std::move(transport)) {}

  Transport* operator->() const { return transport_.get(); }
  Transport& transport() const { return *transport_; }

  Address Listen(const Address& where) {
    const Result<Address> bound = transport_->Bind(where);
    EXPECT_TRUE(bound.ok()) << bound.status();
    return bound.ok() ? bound.value() : Address();
  }

  std::unique_ptr<Link> ConnectTo(const Address& peer) {
    Result<std::unique_ptr<Link>> link = transport_->Connect(peer);
    EXPECT_TRUE(link.ok()) << link.status();
    return link.ok() ? std::move(link).value() : nullptr;
  }

  void OnFrame(Frame&& frame, const ReturnPath& from) override {
    ReceivedFrame received;
    received.head = frame.head;
    for (const SArray<char>& part : frame.parts) received.payload.append(part.data(), part.size());
    received.from = from;
    frames.push_back(std::move(received));
    if (on_frame) on_frame(frames.back());
  }

  void OnPeerClosed(const ReturnPath& from) override { closed.push_back({from, frames.size()}); }

  void OnDropped(Counter why) override { dropped.push_back(why); }
  bool IsFromMember() const override { return trusting; }

  // Polls until `done` holds; false when patience ends.
  bool PollUntil(const std::function<bool()>& done) {
    const int64_t deadline_ms = Clock::Real().NowMs() + kPatienceMs;
    while (!done() && Clock::Real().NowMs() < deadline_ms) transport_->Poll(this, kStepMs);
    return done();
  }
  bool PollFor(size_t count) {
    return PollUntil([&] { return frames.size() >= count; });
  }

  int NumDropped(Counter why) const {
    return static_cast<int>(std::count(dropped.begin(), dropped.end(), why));
  }
  bool HasClosed(const ReturnPath& from) const {
    return std::any_of(closed.begin(), closed.end(), [&](const Closing& c) { return c.from == from; });
  }
  bool PollUntilClosed(ReturnPath from) {  // by value: it may be one of frames, which move
    return PollUntil([&] { return HasClosed(from); });
  }

  // Sends, while `receiver` polls as often as the link is full.
  static SendResult SendFully(Link* link, const Frame& frame, Endpoint* receiver) {
    SendResult result = link->TrySend(frame);
    receiver->PollUntil([&] {
      if (result == SendResult::kFull) result = link->TrySend(frame);
      return result != SendResult::kFull;
    });
    return result;
  }

  struct Closing {
    ReturnPath from;
    size_t num_frames = 0;  // that came before
  };

  std::vector<ReceivedFrame> frames;
  std::vector<Closing> closed;
  std::vector<Counter> dropped;
  bool trusting = true;  // takes every peer for a member of the job
  std::function<void(const ReceivedFrame&)> on_frame;

 private:
  static constexpr int kStepMs = 5;  // what a test waits for may be seen elsewhere than in Poll

  const std::unique_ptr<Transport> transport_;
};

}  // namespace ps
#endif  // PS_TESTS_SUPPORT_TRANSPORT_ENDPOINT_H_

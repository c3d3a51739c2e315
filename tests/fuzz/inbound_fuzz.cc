// A node's whole way in (header, admission, parking, routes, delivery, assembly, messages and control bodies)
// and its timers, driven by bytes. Each step is one operation; frames are patched so that the bytes get past
// the random incarnations and reach what lies behind.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "app/kv_message.h"
#include "base/clock.h"
#include "base/log.h"
#include "ps/base.h"
#include "tests/fuzz/bytes_reader.h"
#include "tests/support/fake_link.h"
#include "van/inbound.h"

namespace ps {
namespace {

constexpr uint64_t kLargestMessage = 1 << 16;
constexpr int kPeers[] = {1, 9, 11};  // the scheduler and two workers
constexpr uint64_t kFirstIncarnation = 1000;

// Does with messages what a node does.
class Node8 : public InboundHandler {
 public:
  void OnRegister(const Registration& registration, const ReturnPath&) override {
    CHECK(!registration.node.hostname.empty());
  }
  void OnNotice(HandshakeStep, const Notice& notice, uint64_t) override {
    CHECK_LE(notice.text.size(), 4096u);
  }
  void OnControl(int sender, Control::Command, const SArray<char>& body) override {
    CHECK(sender == 1 || sender >= 8);
    (void)DecodeRoster(body);
    (void)DecodeBarrier(body);
    (void)DecodeDeparture(body);
  }
  void OnData(const Header& header, Blocks&& blocks, bool) override {
    CHECK_LE(header.total_bytes(), kLargestMessage);
    const Result<Message> message = MessageOf(header, std::move(blocks));
    if (message.ok()) (void)ReadBlocks(message.value(), ElementType::Of<float>());
  }
  void EndOfData() override {}
  void OnRefusedData(const Header&, const Status& why) override { CHECK(!why.ok()); }
  void OnSignOfLife(int sender, bool) override { CHECK(sender == 1 || sender >= 8); }
  void OnConnectionClosed(int, const ReturnPath&) override {}
  void OnFencedSender(uint64_t, const ReturnPath&) override {}
  void OnUnproven(const Node&, const Handshake::Judgement&, const ReturnPath&) override {}
  void OnChallenge(const Digest&) override {}
  void OnForeign(const std::string&) override {}
};

class Machine {
 public:
  Machine() : self_(Node::SERVER, 0) {
    self_.SetAddress("10.0.0.8", 4708);
    self_.SetId(8, false);
    RouteSettings settings;
    settings.chunk_bytes = 64;
    settings.max_message_bytes = kLargestMessage;
    settings.water_mark = 8;
    settings.send_buffer_bytes = 4096;
    settings.ask_after_ms = 1;
    settings.request_timeout_ms = 10;
    const RouteHost host{&self_, &counters_, [](int64_t) {}, settings};
    routes_ = std::make_unique<RouteTable>(host, &transport_);
    inbound_ = std::make_unique<Inbound>(
        Inbound::Host{&self_, &handshake_, routes_.get(), &node_, &counters_}, Inbound::Bounds{16, 1 << 16});
    inbound_->WatchConnections();
    inbound_->AdmitScheduler(kFirstIncarnation + 1);
    SetRoster(0);
  }

  void Step(BytesReader* reader) {
    switch (reader->Byte() % 8) {
      case 0: SetRoster(reader->Byte()); break;
      case 1: Say(reader); break;
      case 2: Tick(reader->Byte()); break;
      case 3: End(reader->Byte()); break;
      default: Hear(reader); break;
    }
    CHECK_LE(counters_.RejectedFrames(), 2 * counters_.Get(Counter::kReceivedFrames));
  }

 private:
  uint64_t IncarnationOf(int id, uint64_t life) const {
    return kFirstIncarnation * (life + 1) + static_cast<uint64_t>(id);
  }

  // Bit i says whether peer i is in it, bit 4 + i whether it was restarted.
  void SetRoster(uint8_t choice) {
    Roster roster;
    roster.epoch = ++epoch_;
    if ((choice & 0x80) != 0) roster.settings.on_node_lost = OnNodeLost::kWait;
    roster.nodes.push_back(self_.node());
    for (size_t i = 0; i < std::size(kPeers); ++i) {
      if ((choice >> i & 1) != 0) continue;
      Node node;
      node.id = kPeers[i];
      node.role = i == 0 ? Node::SCHEDULER : Node::WORKER;
      node.hostname = "peer";
      node.port = kPeers[i];
      node.incarnation = IncarnationOf(node.id, choice >> (4 + i) & 1);
      roster.nodes.push_back(node);
    }
    for (const auto& route : routes_->SetRoster(roster)) {
      (void)route->Close(Status::Unavailable("replaced"));
      route->Shutdown();
    }
    inbound_->SetRoster(roster);
  }

  // A frame: who sends it, how far its number is from the last one, then its header and payload as they come.
  void Hear(BytesReader* reader) {
    const uint8_t who = reader->Byte();
    const int8_t step = static_cast<int8_t>(reader->Byte());
    Header header;
    header.kind = static_cast<FrameKind>(1 + reader->Byte() % 7);
    header.flags = reader->Byte();
    header.head = static_cast<int8_t>(reader->Byte());
    header.timestamp = static_cast<int8_t>(reader->Byte());
    header.priority = reader->Byte() % 4;
    header.ack = reader->Byte();
    header.credit_requests = reader->Byte();
    for (uint64_t& bytes : header.block_bytes) bytes = reader->Byte();
    header.data_type.fill(reader->Byte() % 12);
    const size_t payload = reader->Byte();
    header.chunk_offset = reader->Byte();
    const size_t peer = who % std::size(kPeers);
    header.sender = static_cast<uint32_t>(kPeers[peer]);
    header.sender_incarnation = IncarnationOf(kPeers[peer], who >> 2 & 1);
    header.receiver = 8;
    header.receiver_incarnation = (who & 0x80) != 0 ? 0 : self_.incarnation();
    if (IsSequenced(header.kind)) header.sequence = sequence_[peer] += static_cast<uint64_t>(int64_t{step});
    Frame frame;
    frame.parts[0] = reader->Take(payload);
    frame.parts[3] = reader->Take(who >> 4);
    header.chunk_length = static_cast<uint32_t>(frame.payload_bytes());
    frame.head = EncodeHeader(header);
    if ((who & 0x40) != 0) frame.head[reader->Byte() % kHeaderBytes] ^= reader->Byte();
    inbound_->OnFrame(std::move(frame), "path");
  }

  void Say(BytesReader* reader) {
    const Result<std::shared_ptr<Route>> route = routes_->For(kPeers[reader->Byte() % std::size(kPeers)]);
    if (!route.ok()) return;
    Outgoing message;
    message.header.kind = reader->Byte() % 4 == 0 ? FrameKind::kControl : FrameKind::kData;
    message.header.timestamp = ++timestamp_;
    message.header.priority = reader->Byte() % 4;
    message.blocks[kBlockBody] = reader->Take(reader->Byte());
    message.header.block_bytes[kBlockBody] = message.blocks[kBlockBody].size();
    (void)route.value()->Send(&message, SendOptions());
    route.value()->ReturnCredit(reader->Byte());
  }

  // Time runs as the bytes say, not as the clock does.
  void Tick(uint8_t ms) {
    ahead_ms_ += ms;
    std::vector<Undelivered> expired;
    for (const auto& route : routes_->All()) {
      (void)route->OnTimer(Clock::Real().NowMs() + ahead_ms_, &expired);
    }
  }

  void End(uint8_t choice) {
    const int id = kPeers[choice % std::size(kPeers)];
    const std::shared_ptr<Route> route = routes_->Find(id);
    if (route == nullptr) return;
    if (choice >= 0x80) inbound_->Fence(route->peer());
    // Some may come back.
    const bool keeps = (choice & 0x40) != 0;
    (void)route->Close(Status::Unavailable("it left"),
                       keeps ? Route::Then::kKeepRequests : Route::Then::kGiveUp);
    inbound_->OnPeerClosed("path");
  }

  Identity self_;
  const Handshake handshake_{self_.incarnation(), "token", Digest{1}};
  Counters counters_;
  FakeTransport transport_;
  Node8 node_;
  std::unique_ptr<RouteTable> routes_;
  std::unique_ptr<Inbound> inbound_;
  uint64_t epoch_ = 0;
  uint64_t sequence_[std::size(kPeers)] = {};
  int timestamp_ = 0;
  int64_t ahead_ms_ = 0;
};

}  // namespace
}  // namespace ps

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  ps::SetLogSink([](ps::Severity, const std::string&) {});
  ps::Machine machine;
  for (ps::BytesReader reader(data, size); !reader.empty();) machine.Step(&reader);
  return 0;
}

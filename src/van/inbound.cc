#include "van/inbound.h"

#include <cstring>
#include <exception>
#include <string>
#include <utility>

#include "base/clock.h"
#include "base/log.h"
#include "base/test_point.h"

namespace ps {
namespace {

// So many frames of data may come before what was rejected elsewhere is told.
constexpr int kFramesBeforeTelling = 64;
// What is larger does not wait for the end of a batch: its blocks are still in the cache.
constexpr uint64_t kSmallBytes = 4096;

Counter CounterOf(HeaderFault fault) {
  const char* const reason = ReasonOf(fault);
  if (std::strcmp(reason, "magic") == 0) return Counter::kRejectedMagic;
  if (std::strcmp(reason, "version") == 0) return Counter::kRejectedVersion;
  if (std::strcmp(reason, "size") == 0) return Counter::kRejectedSize;
  return Counter::kRejectedMalformed;
}

}  // namespace

Inbound::Inbound(const Host& host, Bounds bounds)
    : identity_(host.identity),
      handshake_(*host.handshake),
      bounds_(bounds),
      routes_(host.routes),
      handler_(host.handler),
      counters_(host.counters),
      admission_(host.identity->incarnation()) {}

void Inbound::OnFrame(Frame&& frame, const ReturnPath& from) {
  counters_->AddAlone(Counter::kReceivedFrames);
  from_member_ = false;
  Header header;
  const HeaderFault fault = ReadHeader(frame.head, &header);
  if (fault != HeaderFault::kNone) return OnDropped(CounterOf(fault));
  if (header.sender == 0) header.sender = admission_.IdOf(header.sender_incarnation);
  if (frame.payload_bytes() != header.chunk_length) return OnDropped(Counter::kRejectedSize);
  if (header.kind == FrameKind::kHandshake) {
    OnHandshake(header, frame, from);
  } else {
    Judge(header, frame, from);
  }
  if (replay_due_) ReplayParked();
  const bool may_wait = from_member_ && header.kind == FrameKind::kData;
  if (may_wait && ++frames_untold_ < kFramesBeforeTelling) return;
  frames_untold_ = 0;
  SayRejections();
}

void Inbound::Judge(const Header& header, const Frame& frame, const ReturnPath& from) {
  const Admission::Decision decision = admission_.Judge(header);
  from_member_ = decision.verdict == Admission::Verdict::kAccept;
  switch (decision.verdict) {
    case Admission::Verdict::kAccept:
      if (watches_connections_) Remember(static_cast<int>(header.sender), from);
      Accept(header, frame);
      break;
    case Admission::Verdict::kPark: Park(header, frame, from); break;
    case Admission::Verdict::kDrop:
      counters_->Add(decision.reason);
      if (decision.reason == Counter::kRejectedStale &&
          admission_.TellsFenced(header, Clock::Real().NowMs())) {
        handler()->OnFencedSender(header.sender_incarnation, from);
      }
      break;
  }
}

void Inbound::OnDropped(Counter why) {
  counters_->Add(why);
  SayRejections();
}

// Whatever was rejected, here or elsewhere in the node; the last ones with what comes next.
void Inbound::SayRejections() {
  if (counters_->RejectedFrames() == num_said_) return;
  if (!rejection_lines_.Allows(Clock::Real().NowMs())) return;
  uint64_t total = 0;
  const std::string reasons = counters_->NewRejections(&said_, &total);
  num_said_ += total;
  PS_LOG(kWarning, identity_->name(),
         "rejected " << total << " frames or connections that are not of this job (" << reasons << ")");
}

void Inbound::Remember(int sender, const ReturnPath& from) {
  int& known = sender_of_[from];
  if (known != sender) known = sender;
}

void Inbound::OnPeerClosed(const ReturnPath& from) {
  const auto known = sender_of_.find(from);
  const int sender = known == sender_of_.end() ? 0 : known->second;
  if (sender != 0) sender_of_.erase(known);
  handler()->OnConnectionClosed(sender, from);
}

void Inbound::OnHandshake(const Header& header, const Frame& frame, const ReturnPath& from) {
  const Result<HandshakeParts> parts = ReadHandshake(header, frame);
  if (!parts.ok()) {
    counters_->Add(Counter::kRejectedMalformed);
  } else if ((header.flags & kFlagReply) != 0) {
    OnAnswer(header, parts.value());
  } else {
    OnApplicant(header, parts.value(), from);
  }
}

void Inbound::OnApplicant(const Header& header, const HandshakeParts& parts, const ReturnPath& from) {
  const Result<Registration> registration = DecodeRegistration(parts.body);
  if (header.head != static_cast<int32_t>(HandshakeStep::kRegister) || !registration.ok() ||
      registration.value().node.incarnation != header.sender_incarnation) {
    counters_->Add(Counter::kRejectedMalformed);
    return;
  }
  const Handshake::Judgement judgement = handshake_.Judge(header, parts, from);
  if (judgement.verdict == Handshake::Verdict::kProven) {
    handler()->OnRegister(registration.value(), from);
    return;
  }
  if (judgement.verdict == Handshake::Verdict::kRefused) counters_->Add(Counter::kRejectedToken);
  handler()->OnUnproven(registration.value().node, judgement, from);
}

void Inbound::OnAnswer(const Header& header, const HandshakeParts& parts) {
  // Only who was asked knows this incarnation; nobody else can end a Start.
  if (header.receiver_incarnation != handshake_.my_incarnation()) {
    counters_->Add(Counter::kRejectedStranger);
    return;
  }
  const Handshake::Judgement judgement = handshake_.JudgeAnswer(header, parts);
  if (judgement.verdict == Handshake::Verdict::kChallenge) {
    handler()->OnChallenge(judgement.nonce);
    return;
  }
  if (judgement.verdict == Handshake::Verdict::kRefused) {
    counters_->Add(Counter::kRejectedToken);
    if (!answered_) handler()->OnForeign(judgement.why);
    return;
  }
  const Result<Notice> notice = DecodeNotice(parts.body);
  if (!notice.ok()) {
    counters_->Add(Counter::kRejectedMalformed);
    return;
  }
  answered_ = true;
  handler()->OnNotice(static_cast<HandshakeStep>(header.head), notice.value(), header.sender_incarnation);
}

void Inbound::Park(const Header& header, const Frame& frame, const ReturnPath& from) {
  const uint64_t bytes = kHeaderBytes + frame.payload_bytes();
  if (parked_.size() >= bounds_.max_parked_frames || parked_bytes_ + bytes > bounds_.max_parked_bytes) {
    counters_->Add(Counter::kRejectedOverflow);
    return;
  }
  counters_->Add(Counter::kParkedMessages);
  parked_bytes_ += bytes;
  // A copy: what it has is the sender's or the transport's memory.
  parked_.push_back({header, frame.DeepCopy(), from});
}

void Inbound::Accept(const Header& header, const Frame& frame) {
  const int sender = static_cast<int>(header.sender);
  handler_->OnSignOfLife(sender, header.kind == FrameKind::kHeartbeat && (header.flags & kFlagReply) == 0);
  Status unknown;
  Route* const route = routes_->Reach(sender, &unknown);
  if (route == nullptr) {
    counters_->Add(Counter::kRejectedStale);
    return;
  }
  Blocks whole;
  if (route->OnFrame(header, frame, &ready_, &whole)) return HandUpWhole(header, &whole, false);
  if (ready_.empty()) return;
  std::vector<Received> ready;
  ready.swap(ready_);
  for (Received& received : ready) HandUp(&received);
}

// All of them count as received: one that can not be handed up (out of memory) does not take the others with
// it.
void Inbound::HandUp(Received* received) {
  try {
    if (received->status.ok()) {
      HandUpWhole(received->header, &received->blocks, received->borrowed);
    } else if (received->header.kind == FrameKind::kData) {
      handler()->OnRefusedData(received->header, received->status);
    } else {
      counters_->Add(Counter::kRejectedMalformed);
    }
  } catch (const std::exception& error) {
    PS_LOG(kError, identity_->name(), "a received message was dropped: " << error.what());
  }
}

void Inbound::HandUpWhole(const Header& header, Blocks* blocks, bool borrowed) {
  PS_TEST_POINT(header.kind == FrameKind::kData ? "data.received" : "control.received");
  if (header.kind == FrameKind::kData) {
    has_data_ = true;
    handler_->OnData(header, std::move(*blocks), borrowed);
    if (!is_in_batch_ || header.total_bytes() > kSmallBytes) HandOnData();
  } else {
    const SArray<char> body = std::move((*blocks)[kBlockBody]);
    handler()->OnControl(static_cast<int>(header.sender), static_cast<Control::Command>(header.head), body);
  }
}

void Inbound::HandOnData() {
  if (!has_data_) return;
  has_data_ = false;
  handler_->EndOfData();
}

void Inbound::AdmitScheduler(uint64_t incarnation) {
  admission_.AdmitScheduler(incarnation);
  replay_due_ = true;
}

void Inbound::SetRoster(const Roster& roster) {
  admission_.SetRoster(roster);
  replay_due_ = true;
}

void Inbound::Fence(const Node& node) { admission_.Fence(node.id, node.incarnation); }

void Inbound::ReplayParked() {
  replay_due_ = false;
  std::vector<Parked> parked;
  parked.swap(parked_);
  parked_bytes_ = 0;
  const bool from_member = from_member_;
  for (Parked& one : parked) Judge(one.header, one.frame, one.from);
  from_member_ = from_member;
}

}  // namespace ps

// The receiving half of Route: frames of the peer, on the receiver's thread.
#include <utility>

#include "base/clock.h"
#include "van/control.h"
#include "van/payload.h"
#include "van/route.h"

namespace ps {

void Route::TellIfDue() {
  if (received_.AckDue() || (taken_.UpdateDue() && MayTellCredits())) SendBareLocked(FrameKind::kAck);
}

void Route::ReturnCredit(uint64_t bytes) {
  MutexLock lock(mutex_);
  taken_.Taken(bytes);
  TellIfDue();
  if (peer_waits_ && CreditsUntold()) host_.wake_at(Clock::Real().NowMs() + 1);
}

void Route::OnFrame(const Header& header, Frame frame, std::vector<Received>* ready) {
  std::vector<Frame> in_order;
  {
    MutexLock lock(mutex_);
    OnTold(header);
    switch (header.kind) {
      case FrameKind::kData:
      case FrameKind::kControl: OnSequenced(header, std::move(frame), &in_order); break;
      case FrameKind::kAsk: OnAsk(header); break;
      case FrameKind::kHave: OnHave(header, frame); break;
      case FrameKind::kAck:
      case FrameKind::kHeartbeat:
      case FrameKind::kHandshake: break;
    }
  }
  const size_t begin = ready->size();
  for (const Frame& next : in_order) Assemble(next, ready);
  if (host_.settings.keeps_requests && ready->size() > begin) NoteAnswers(*ready);
}

void Route::NoteAnswers(const std::vector<Received>& ready) {
  MutexLock lock(mutex_);
  for (const Received& received : ready) {
    const bool is_answer =
        received.header.kind == FrameKind::kData && (received.header.flags & kFlagRequest) == 0;
    if (is_answer) open_requests_.Answered(received.header);
  }
}

// Acknowledgement and credits, which every frame carries.
void Route::OnTold(const Header& header) {
  const bool acknowledged = outbox_.sent().Acknowledge(header.ack, Clock::Real().NowMs());
  const bool room = room_.Update(header.credit_requests, header.credit_bytes);
  if (!acknowledged && !room) return;
  PumpLocked();
  changed_.NotifyAll();
}

void Route::OnSequenced(const Header& header, Frame frame, std::vector<Frame>* in_order) {
  // What is kept must not be the sender's or the transport's memory.
  if (header.sequence > received_.acknowledged() + 1) frame = frame.DeepCopy();
  switch (received_.Accept(header.sequence, std::move(frame), in_order)) {
    case DeliveryReceiver::Verdict::kReady: break;
    case DeliveryReceiver::Verdict::kEarly: host_.counters->Add(Counter::kOutOfOrder); break;
    case DeliveryReceiver::Verdict::kDuplicate: host_.counters->Add(Counter::kDuplicatesDropped); break;
    case DeliveryReceiver::Verdict::kBeyondWindow: host_.counters->Add(Counter::kRejectedOverflow); break;
  }
  TellIfDue();
}

void Route::Assemble(const Frame& frame, std::vector<Received>* ready) {
  const Result<Header> header = DecodeHeader(frame.head.data(), frame.head.size());
  if (!header.ok()) return;  // it was decoded before it was kept
  const uint64_t copied_before = assembler_.copied_bytes();
  Result<std::optional<Assembler::Complete>> added = assembler_.Add(header.value(), frame);
  host_.counters->Add(Counter::kCopiedBytes, assembler_.copied_bytes() - copied_before);
  Received received;
  if (!added.ok()) {
    received.header = header.value();
    received.status = added.status();
  } else if (added.value().has_value()) {
    received.header = added.value()->header;
    received.blocks = std::move(added.value()->blocks);
  } else {
    return;
  }
  host_.counters->Add(Counter::kReceivedMessages);
  host_.counters->Add(Counter::kReceivedBytes, kHeaderBytes + received.header.total_bytes());
  ready->push_back(std::move(received));
}

void Route::OnAsk(const Header& header) {
  if (header.head == kAskWantsRoom) {
    peer_waits_ = true;
    wanted_room_ms_ = Clock::Real().NowMs();
  }
  if (header.timestamp != 0) answer_to_ = header.timestamp;
  SendBareLocked(header.timestamp == 0 ? FrameKind::kAck : FrameKind::kHave);
}

void Route::OnHave(const Header& header, const Frame& frame) {
  const Result<std::vector<SeqRange>> held = DecodeHave(PayloadOf(frame));
  if (!held.ok()) {
    host_.counters->Add(Counter::kRejectedMalformed);
    return;
  }
  if (!closed_.ok()) return;
  const uint64_t last = outbox_.sent().question();
  const uint32_t behind = static_cast<uint32_t>(last) - static_cast<uint32_t>(header.timestamp);
  if (behind >= last) return;  // an answer to no question of mine
  const int64_t now = Clock::Real().NowMs();
  for (const Frame* missing : outbox_.sent().Missing(header.ack, held.value(), now, last - behind)) {
    // A copy: the first one may arrive yet, and its owner then takes the memory back at once.
    if (link_ == nullptr || link_->TrySend(missing->DeepCopy()) != SendResult::kSent) break;
    host_.counters->Add(Counter::kResendsSent);
  }
  PumpLocked();
  changed_.NotifyAll();
}

}  // namespace ps

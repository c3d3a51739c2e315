// The receiving half of Route: frames of the peer, on the receiver's thread.
#include <utility>

#include "base/clock.h"
#include "van/control.h"
#include "van/payload.h"
#include "van/route.h"

namespace ps {

void Route::TellIfDue() {
  if (received_.AckDue() || (Taken().UpdateDue() && MayTellCredits())) SendBareLocked(FrameKind::kAck);
}

void Route::ReturnCredit(uint64_t bytes) {
  // In one order with peer_waits_: either this sees that the peer waits, or who says so sees what was
  // returned.
  const uint32_t requests = 1 + returned_requests_.fetch_add(1);
  const uint64_t total = bytes + returned_bytes_.fetch_add(bytes);
  const bool is_due =
      static_cast<int32_t>(requests - due_at_requests_.load(std::memory_order_relaxed)) >= 0 ||
      static_cast<int64_t>(total - due_at_bytes_.load(std::memory_order_relaxed)) >= 0;
  if (!is_due && !peer_waits_.load()) return;
  MutexLock lock(mutex_);
  TellIfDue();
  if (peer_waits_ && CreditsUntold()) host_.wake_at(Clock::Real().NowMs() + 1);
}

bool Route::OnFrame(const Header& header, const Frame& frame, std::vector<Received>* ready, Blocks* whole) {
  const size_t begin = ready->size();
  std::vector<Frame> in_order;
  bool is_next = false;
  {
    MutexLock lock(mutex_);
    OnTold(header);
    switch (header.kind) {
      case FrameKind::kData:
      case FrameKind::kControl: is_next = OnSequenced(header, frame, &in_order); break;
      case FrameKind::kAsk: OnAsk(header); break;
      case FrameKind::kHave: OnHave(header, frame); break;
      case FrameKind::kAck:
      case FrameKind::kHeartbeat:
      case FrameKind::kHandshake: break;
    }
  }
  if (is_next && whole != nullptr && TakeWhole(header, frame, whole)) {
    if (host_.settings.keeps_requests) NoteAnswer(header);
    return true;
  }
  if (is_next) Assemble(header, frame, ready);
  for (const Frame& next : in_order) {
    Header early;
    // It was decoded before it was kept.
    if (ReadHeader(next.head, &early) == HeaderFault::kNone) Assemble(early, next, ready);
  }
  if (!host_.settings.keeps_requests) return false;
  for (size_t i = begin; i < ready->size(); ++i) NoteAnswer((*ready)[i].header);
  return false;
}

void Route::NoteAnswer(const Header& header) {
  if (header.kind != FrameKind::kData || (header.flags & kFlagRequest) != 0) return;
  MutexLock lock(mutex_);
  open_requests_.Answered(header);
}

// Acknowledgement and credits, which every frame carries.
void Route::OnTold(const Header& header) {
  const bool acknowledged = outbox_.sent().Acknowledge(header.ack);
  const bool room = room_.Update(header.credit_requests, header.credit_bytes);
  if (!acknowledged && !room) return;
  if (!outbox_.queue().empty() || bare_due_ != 0) PumpLocked();
  if (num_waiting_ + num_draining_ > 0) changed_.NotifyAll();
}

// True: the frame itself is in order. Otherwise those that are now are in `*in_order`.
bool Route::OnSequenced(const Header& header, const Frame& frame, std::vector<Frame>* in_order) {
  if (received_.AcceptNext(header.sequence, header.chunk_length)) {
    // Credits that are due have been told when they were returned.
    if (received_.AckDue()) SendBareLocked(FrameKind::kAck);
    return true;
  }
  // What is kept must not be the sender's or the transport's memory.
  const bool is_early = header.sequence > received_.acknowledged() + 1;
  switch (received_.Accept(header.sequence, is_early ? frame.DeepCopy() : frame, in_order)) {
    case DeliveryReceiver::Verdict::kReady: break;
    case DeliveryReceiver::Verdict::kEarly: host_.counters->Add(Counter::kOutOfOrder); break;
    case DeliveryReceiver::Verdict::kDuplicate: host_.counters->Add(Counter::kDuplicatesDropped); break;
    case DeliveryReceiver::Verdict::kBeyondWindow: host_.counters->Add(Counter::kRejectedOverflow); break;
  }
  TellIfDue();
  return false;
}

bool Route::TakeWhole(const Header& header, const Frame& frame, Blocks* blocks) {
  if (!assembler_.TakeWhole(header, frame, blocks)) return false;
  if (header.chunk_length > 0) host_.counters->AddAlone(Counter::kCopiedBytes, header.chunk_length);
  host_.counters->AddAlone(Counter::kReceivedMessages);
  host_.counters->AddAlone(Counter::kReceivedBytes, kHeaderBytes + header.chunk_length);
  return true;
}

void Route::Assemble(const Header& header, const Frame& frame, std::vector<Received>* ready) {
  Received& received = ready->emplace_back();
  received.header = header;
  if (TakeWhole(header, frame, &received.blocks)) return;
  const uint64_t copied_before = assembler_.copied_bytes();
  Result<std::optional<Assembler::Complete>> added = assembler_.Add(header, frame);
  host_.counters->AddAlone(Counter::kCopiedBytes, assembler_.copied_bytes() - copied_before);
  if (added.ok() && !added.value().has_value()) {
    ready->pop_back();
    return;
  }
  host_.counters->AddAlone(Counter::kReceivedMessages);
  host_.counters->AddAlone(Counter::kReceivedBytes, kHeaderBytes + header.total_bytes());
  received.status = added.status();
  if (!added.ok()) return;
  received.header = added.value()->header;
  received.blocks = std::move(added.value()->blocks);
  received.borrowed = added.value()->borrowed;
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
    if (link_ == nullptr || TryLink(missing->DeepCopy()) != SendResult::kSent) break;
    host_.counters->Add(Counter::kResendsSent);
  }
  PumpLocked();
  changed_.NotifyAll();
}

}  // namespace ps

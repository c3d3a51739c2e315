#include "van/route.h"

#include <algorithm>
#include <sstream>
#include <utility>

#include "message/node_id.h"
#include "van/control.h"
#include "van/payload.h"

namespace ps {
namespace {

// `head` of a kAsk frame from a sender that waits for room.
constexpr int32_t kWantsRoom = 1;
// How often deadlines are looked at, at least.
constexpr int64_t kDeadlineStepMs = 1000;

unsigned BitOf(FrameKind kind) { return 1u << static_cast<unsigned>(kind); }

std::string Seconds(int64_t ms) {
  std::ostringstream text;
  text << static_cast<double>(ms) / 1000 << " s";
  return text.str();
}

}  // namespace

Route::Route(const RouteHost& host, const Node& peer, Connect connect)
    : host_(host),
      peer_(peer),
      connect_(std::move(connect)),
      outbox_(host.settings.chunk_bytes, host.settings.ask_after_ms, peer.id),
      room_(host.settings.water_mark, host.settings.send_buffer_bytes),
      taken_(host.settings.water_mark, host.settings.send_buffer_bytes),
      assembler_(host.settings.max_message_bytes) {
  Result<std::unique_ptr<Link>> link = connect_();
  MutexLock lock(mutex_);
  if (link.ok()) {
    link_ = std::move(link).value();
  } else {
    closed_ = link.status();
  }
}

Route::~Route() = default;

// --- sending ---

Status Route::NoRoom(int64_t waited_ms) const {
  std::ostringstream text;
  text << "no room on the way to " << DescribeNode(peer_) << " for " << Seconds(waited_ms) << ": "
       << room_.requests_open() << " requests of " << room_.bytes_open()
       << " bytes are there that no handler has taken (bounds: DMLC_PS_WATER_MARK="
       << host_.settings.water_mark << ", PS_SEND_BUFFER_BYTES=" << host_.settings.send_buffer_bytes
       << "; deadline: PS_REQUEST_TIMEOUT)";
  return Status::DeadlineExceeded(text.str());
}

Status Route::WaitForRoom(uint64_t bytes, const SendOptions& options) {
  if (room_.HasRoom(bytes)) return Status::Ok();
  const int64_t began = Clock::Real().NowMs();
  const Deadline deadline = Deadline::AfterAt(began, options.room_timeout_ms);
  int64_t ask_at = began;
  host_.counters->Add(Counter::kCreditWaits);
  ++num_waiting_;
  Status outcome;
  while (closed_.ok() && !room_.HasRoom(bytes)) {
    const int64_t now = Clock::Real().NowMs();
    if (deadline.expired(now)) {
      if (!options.queue_when_full) outcome = NoRoom(now - began);
      break;
    }
    if (now >= ask_at) {
      AskLocked(0);
      ask_at = now + std::max<int64_t>(1, host_.settings.ask_after_ms);
    }
    changed_.WaitUntil(mutex_, std::min(deadline.at_ms(), ask_at));
  }
  --num_waiting_;
  return closed_.ok() ? outcome : closed_;
}

Status Route::Send(Outgoing message, const SendOptions& options) {
  MutexLock lock(mutex_);
  if (!closed_.ok()) return closed_;
  const uint64_t bytes = message.bytes();
  if (message.is_request()) {
    PS_RETURN_IF_ERROR(WaitForRoom(bytes, options));
    room_.Issue(bytes);
  }
  message.queued_ms = Clock::Real().NowMs();
  host_.counters->Add(Counter::kSentMessages);
  host_.counters->Add(Counter::kSentBytes, kHeaderBytes + bytes);
  outbox_.queue().Push(std::move(message));
  PumpLocked();
  return Status::Ok();
}

// While too many answers wait to be sent, the peer gets no room for further requests.
bool Route::MayTellCredits() const {
  return outbox_.queue().response_bytes() <= host_.settings.send_buffer_bytes;
}

bool Route::CreditsUntold() const {
  return MayTellCredits() && (told_requests_ != taken_.requests() || told_bytes_ != taken_.bytes());
}

void Route::Stamp(Header* header) {
  header->sender = host_.self->wire_id();
  header->receiver = static_cast<uint32_t>(peer_.id);
  header->sender_incarnation = host_.self->incarnation();
  header->receiver_incarnation = peer_.incarnation;
  header->ack = received_.acknowledged();
  received_.Told();
  if (MayTellCredits()) {
    told_requests_ = taken_.requests();
    told_bytes_ = taken_.bytes();
    taken_.Told();
  }
  header->credit_requests = told_requests_;
  header->credit_bytes = told_bytes_;
}

void Route::PumpLocked() {
  RetryBare();
  DeliverySender& sent = outbox_.sent();
  SendQueue& queue = outbox_.queue();
  const bool nothing_kept = sent.unacknowledged() == 0;
  const int64_t now = Clock::Real().NowMs();
  while (closed_.ok() && !queue.empty() && sent.HasRoom()) {
    SendQueue::Chunk chunk = queue.Next();
    Stamp(&chunk.header);
    chunk.header.sequence = sent.next_sequence();
    Frame frame;
    frame.head = EncodeHeader(chunk.header);
    frame.parts = std::move(chunk.parts);
    if (link_->TrySend(frame) != SendResult::kSent) break;
    host_.counters->Add(Counter::kSentFrames);
    sent.Keep(std::move(frame), now);
    queue.Advance();
  }
  // Otherwise the timer runs already. What only waits has a deadline as well.
  if (nothing_kept && sent.unacknowledged() > 0) host_.wake_at(sent.next_ask_ms());
  if (nothing_kept && !queue.empty()) host_.wake_at(now + kDeadlineStepMs);
  // Answers that left may have held back credits.
  TellIfDue();
  if (peer_waits_ && CreditsUntold()) host_.wake_at(now + 1);
}

void Route::Pump() {
  MutexLock lock(mutex_);
  PumpLocked();
}

void Route::SendBareLocked(FrameKind kind, uint16_t flags) {
  if (link_ == nullptr) return;
  Header header;
  header.kind = kind;
  header.flags = flags;
  Frame frame;
  if (kind == FrameKind::kAsk) {
    header.timestamp = question_;
    header.head = num_waiting_ > 0 ? kWantsRoom : 0;
  } else if (kind == FrameKind::kHave) {
    header.timestamp = answer_to_;
    frame.parts[0] = EncodeHave(received_.Held());
    header.block_bytes[kBlockBody] = frame.parts[0].size();
    header.chunk_length = static_cast<uint32_t>(frame.parts[0].size());
  }
  Stamp(&header);
  frame.head = EncodeHeader(header);
  bare_due_ &= ~BitOf(kind);
  if (link_->TrySend(frame) == SendResult::kFull) {
    bare_due_ |= BitOf(kind);
    return;
  }
  host_.counters->Add(Counter::kSentFrames);
  if (kind == FrameKind::kAsk) question_ = 0;
}

void Route::AskLocked(uint64_t question) {
  if (question != 0) question_ = static_cast<int32_t>(static_cast<uint32_t>(question));
  SendBareLocked(FrameKind::kAsk);
}

void Route::RetryBare() {
  for (FrameKind kind : {FrameKind::kAck, FrameKind::kAsk, FrameKind::kHave}) {
    if ((bare_due_ & BitOf(kind)) != 0) SendBareLocked(kind);
  }
}

void Route::SendBare(FrameKind kind, uint16_t flags) {
  MutexLock lock(mutex_);
  SendBareLocked(kind, flags);
}

// --- receiving ---

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
  for (const Frame& next : in_order) Assemble(next, ready);
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
  if (header.head == kWantsRoom) {
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
    if (link_->TrySend(missing->DeepCopy()) != SendResult::kSent) break;
    host_.counters->Add(Counter::kResendsSent);
  }
  PumpLocked();
  changed_.NotifyAll();
}

// --- deadlines and the end ---

int64_t Route::OnTimer(int64_t now_ms, std::vector<Undelivered>* expired) {
  MutexLock lock(mutex_);
  // A sender that still waits asks again every ask_after_ms.
  if (peer_waits_ && now_ms - wanted_room_ms_ > 2 * host_.settings.ask_after_ms) peer_waits_ = false;
  if (peer_waits_ && CreditsUntold()) SendBareLocked(FrameKind::kAck);
  if (!closed_.ok()) return CondVar::kNever;
  ExpireLocked(now_ms, expired);
  DeliverySender& sent = outbox_.sent();
  if (sent.next_ask_ms() >= 0 && sent.next_ask_ms() <= now_ms) {
    host_.counters->Add(Counter::kResendsAsked);
    sent.Asked(now_ms);
    AskLocked(sent.question());
  }
  if (DrainedLocked()) return CondVar::kNever;
  const int64_t timeout = host_.settings.request_timeout_ms;
  int64_t next = sent.next_ask_ms() < 0 ? CondVar::kNever : sent.next_ask_ms();
  if (timeout > 0) next = std::min(next, now_ms + std::min<int64_t>(kDeadlineStepMs, timeout / 8 + 1));
  return next;
}

void Route::ExpireLocked(int64_t now_ms, std::vector<Undelivered>* expired) {
  const int64_t timeout = host_.settings.request_timeout_ms;
  if (timeout <= 0 || outbox_.drained()) return;
  const Status why = Status::DeadlineExceeded(DescribeNode(peer_) + " has not acknowledged it for " +
                                              Seconds(timeout) + " (PS_REQUEST_TIMEOUT)");
  Outbox::GivenUp given_up = outbox_.Expire(now_ms, timeout, why, host_.self->id());
  TakeBack(given_up);
  std::move(given_up.reported.begin(), given_up.reported.end(), std::back_inserter(*expired));
}

// After it neither the route nor its link refers to memory of what was given up.
void Route::TakeBack(const Outbox::GivenUp& given_up) {
  for (const uint64_t bytes : given_up.withdrawn) room_.Withdraw(bytes);
  if (given_up.copied && link_->unreleased() > 0) Reconnect();
  if (!given_up.withdrawn.empty()) changed_.NotifyAll();
}

void Route::Reconnect() {
  link_->Close();
  Result<std::unique_ptr<Link>> link = connect_();
  if (link.ok()) {
    link_ = std::move(link).value();
    PumpLocked();
  } else {
    if (closed_.ok()) closed_ = link.status();
    changed_.NotifyAll();
  }
}

void Route::ReleaseLent(int app_id, int customer_id) {
  MutexLock lock(mutex_);
  if (closed_.ok()) TakeBack(outbox_.Release(app_id, customer_id));
}

bool Route::DrainedLocked() const { return !closed_.ok() || outbox_.drained(); }

void Route::BeginDrain() {
  MutexLock lock(mutex_);
  if (!DrainedLocked()) AskLocked(0);
}

bool Route::WaitDrained(Deadline deadline) {
  MutexLock lock(mutex_);
  const int64_t step = std::max<int64_t>(1, host_.settings.ask_after_ms / 10);
  int64_t ask_at = Clock::Real().NowMs() + step;
  while (!DrainedLocked()) {
    const int64_t now = Clock::Real().NowMs();
    if (deadline.expired(now)) return false;
    if (now >= ask_at) {
      AskLocked(0);
      ask_at = now + step;
    }
    changed_.WaitUntil(mutex_, std::min(deadline.at_ms(), ask_at));
  }
  return true;
}

std::vector<Undelivered> Route::Close(const Status& why) {
  MutexLock lock(mutex_);
  if (!closed_.ok()) return {};
  closed_ = why;
  std::vector<Undelivered> undelivered = outbox_.Clear(why, host_.self->id());
  if (link_->unreleased() > 0) Reconnect();
  changed_.NotifyAll();
  return undelivered;
}

void Route::Shutdown() {
  MutexLock lock(mutex_);
  if (closed_.ok()) closed_ = Status::Cancelled("the node ends");
  if (link_ != nullptr) link_->Close();
  link_.reset();
  changed_.NotifyAll();
}

}  // namespace ps

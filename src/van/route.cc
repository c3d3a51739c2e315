#include "van/route.h"

#include <algorithm>
#include <exception>
#include <limits>
#include <sstream>
#include <utility>

#include "base/log.h"
#include "base/parse.h"
#include "base/test_point.h"
#include "message/node_id.h"
#include "van/control.h"

namespace ps {
namespace {

// How often deadlines are looked at, at least.
constexpr int64_t kDeadlineStepMs = 1000;
constexpr uint64_t kMostPerFrame = std::numeric_limits<uint32_t>::max();

// Those that are there, to where none is.
void MoveParts(std::array<SArray<char>, kNumBlocks>* from, std::array<SArray<char>, kNumBlocks>* to) {
  for (size_t i = 0; i < kNumBlocks; ++i) {
    if (!(*from)[i].empty()) (*to)[i] = std::move((*from)[i]);
  }
}

unsigned BitOf(FrameKind kind) { return 1u << static_cast<unsigned>(kind); }

}  // namespace

Route::Route(const RouteHost& host, const Node& peer, Connect connect, std::vector<Outgoing> kept)
    : host_(host),
      peer_(peer),
      connect_(std::move(connect)),
      outbox_(host.settings.chunk_bytes, host.settings.ask_after_ms, peer.id),
      room_(host.settings.water_mark, host.settings.send_buffer_bytes),
      taken_(host.settings.water_mark, host.settings.send_buffer_bytes),
      assembler_(host.settings.max_message_bytes, host.borrows) {
  MutexLock lock(mutex_);
  due_at_requests_.store(taken_.due_at_requests());
  due_at_bytes_.store(taken_.due_at_bytes());
  TryConnect(Clock::Real().NowMs());
  for (Outgoing& request : kept) {
    NoteIssued(request.bytes(), &request, SendOptions());
    QueueLocked(std::move(request));
  }
  PumpLocked();
}

Route::~Route() = default;

// --- sending ---

Status Route::NoRoom(int64_t waited_ms) const {
  std::ostringstream text;
  text << "no room on the way to " << DescribeNode(peer_) << " for " << FormatSeconds(waited_ms)
       << " s: " << room_.requests_open() << " requests of " << room_.bytes_open()
       << " bytes are there that no handler has taken (bounds: DMLC_PS_WATER_MARK="
       << host_.settings.water_mark << ", PS_SEND_BUFFER_BYTES=" << host_.settings.send_buffer_bytes
       << "; deadline: PS_REQUEST_TIMEOUT)";
  return Status::DeadlineExceeded(text.str());
}

Status Route::WaitForRoom(uint64_t bytes, const SendOptions& options) {
  PS_TEST_POINT("room.none");
  // A handle must not stand still for a peer that is lost.
  if (suspended_since_ms_ >= 0 && options.queue_when_full) return Status::Ok();
  const int64_t began = Clock::Real().NowMs();
  const Deadline deadline = Deadline::AfterAt(began, options.room_timeout_ms);
  int64_t ask_at = began;
  const DependsOnFrames depends(host_.dependents);
  host_.counters->Add(Counter::kCreditWaits);
  ++num_waiting_;
  Status outcome;
  while (Usable().ok() && !room_.HasRoom(bytes)) {
    const int64_t now = Clock::Real().NowMs();
    if (deadline.expired(now)) {
      if (!options.queue_when_full) outcome = NoRoom(now - began);
      break;
    }
    if (now >= ask_at) {
      SendBareLocked(FrameKind::kAsk);
      ask_at = now + std::max<int64_t>(1, host_.settings.ask_after_ms);
    }
    changed_.WaitUntil(mutex_, std::min(deadline.at_ms(), ask_at));
  }
  --num_waiting_;
  return Usable().ok() ? outcome : closed_;
}

Status Route::Send(Outgoing* message, const SendOptions& options) {
  const uint64_t bytes = message->bytes();
  const bool is_request = message->is_request();
  MutexLock lock(mutex_);
  // A request may wait for a peer that comes back.
  if (!closed_.ok() && !(is_request && suspended_since_ms_ >= 0)) return closed_;
  if (is_request && !room_.HasRoom(bytes)) PS_RETURN_IF_ERROR(WaitForRoom(bytes, options));
  // What is under way when the peer is lost is dropped as well (NoteIssued).
  if (!closed_.ok() && options.for_this_life) return Status::Ok();
  host_.counters->Add(Counter::kSentMessages);
  host_.counters->Add(Counter::kSentBytes, kHeaderBytes + bytes);
  NoteIssued(bytes, message, options);
  if (SendNow(bytes, message)) return Status::Ok();
  QueueLocked(std::move(*message));
  PumpLocked();
  return Status::Ok();
}

void Route::NoteIssued(uint64_t bytes, Outgoing* message, const SendOptions& options) {
  message->queued_ms = Clock::Real().NowMs();
  if (!message->is_request()) return;
  room_.Issue(bytes);
  if (host_.settings.keeps_requests && !options.for_this_life) open_requests_.Keep(*message);
}

// The short way past the queue, while nothing waits there: for a message of one frame. False: `*message` is
// as it was.
bool Route::SendNow(uint64_t bytes, Outgoing* message) {
  DeliverySender& sent = outbox_.sent();
  if (!closed_.ok() || link_ == nullptr || !outbox_.queue().empty() || bare_due_ != 0) return false;
  if (bytes > outbox_.queue().piece_bytes() || bytes > kMostPerFrame || !sent.HasRoom()) return false;
  PS_TEST_POINT(message->header.kind == FrameKind::kData ? "data.before_send" : "control.before_send");
  Header& header = message->header;
  header.chunk_offset = 0;
  header.chunk_length = static_cast<uint32_t>(bytes);
  Stamp(&header);
  header.sequence = sent.next_sequence();
  const bool nothing_kept = sent.unacknowledged() == 0;
  Frame* const frame = sent.NextPlace();
  EncodeHeader(header, &frame->head);
  MoveParts(&message->blocks, &frame->parts);
  if (TryLink(*frame) != SendResult::kSent) {
    MoveParts(&frame->parts, &message->blocks);
    return false;
  }
  PS_TEST_POINT(message->header.kind == FrameKind::kData ? "data.after_send" : "control.after_send");
  host_.counters->Add(Counter::kSentFrames);
  sent.KeepNext(bytes, message->queued_ms);
  if (nothing_kept) host_.wake_at(sent.next_ask_ms());
  return true;
}

// A link that finds no memory is one without room: what is counted already is not lost, and the timers try
// again.
SendResult Route::TryLink(const Frame& frame) {
  try {
    return link_->TrySend(frame);
  } catch (const std::exception& error) {
    PS_LOG(kError, host_.self->name(),
           "a frame to " << DescribeNode(peer_) << " was not sent: " << error.what());
    return SendResult::kFull;
  }
}

void Route::QueueLocked(Outgoing message) {
  if (closed_.ok()) {
    outbox_.queue().Push(std::move(message));
  } else if (host_.settings.request_timeout_ms > 0) {
    host_.wake_at(message.queued_ms + host_.settings.request_timeout_ms);
  }
}

// While too many answers wait to be sent, the peer gets no room for further requests.
bool Route::MayTellCredits() const {
  return outbox_.queue().response_bytes() <= host_.settings.send_buffer_bytes;
}

CreditReceiver& Route::Taken() {
  taken_.SetTaken(returned_requests_.load(), returned_bytes_.load());
  return taken_;
}

bool Route::CreditsUntold() {
  const CreditReceiver& taken = Taken();
  return MayTellCredits() && (told_requests_ != taken.requests() || told_bytes_ != taken.bytes());
}

void Route::Stamp(Header* header) {
  header->sender = host_.self->wire_id();
  header->receiver = static_cast<uint32_t>(peer_.id);
  header->sender_incarnation = host_.self->incarnation();
  header->receiver_incarnation = peer_.incarnation;
  header->ack = received_.acknowledged();
  received_.Told();
  if (CreditsUntold()) {
    told_requests_ = taken_.requests();
    told_bytes_ = taken_.bytes();
    taken_.Told();
    due_at_requests_.store(taken_.due_at_requests(), std::memory_order_relaxed);
    due_at_bytes_.store(taken_.due_at_bytes(), std::memory_order_relaxed);
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
    if (link_ == nullptr || TryLink(frame) != SendResult::kSent) break;
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

void Route::SendBareLocked(FrameKind kind, uint16_t flags) {
  if (link_ == nullptr) return;
  Header header;
  header.kind = kind;
  header.flags = flags;
  Frame frame;
  if (kind == FrameKind::kAsk) {
    header.timestamp = question_;
    header.head = num_waiting_ > 0 ? kAskWantsRoom : 0;
  } else if (kind == FrameKind::kHave) {
    header.timestamp = answer_to_;
    frame.parts[0] = EncodeHave(received_.Held());
    header.block_bytes[kBlockBody] = frame.parts[0].size();
    header.chunk_length = static_cast<uint32_t>(frame.parts[0].size());
  }
  Stamp(&header);
  frame.head = EncodeHeader(header);
  bare_due_ &= ~BitOf(kind);
  if (TryLink(frame) == SendResult::kFull) {
    bare_due_ |= BitOf(kind);
    return;
  }
  host_.counters->Add(Counter::kSentFrames);
  if (kind == FrameKind::kAsk) question_ = 0;
}

void Route::AskForMissing(int64_t now_ms) {
  outbox_.sent().Asked(now_ms);
  question_ = static_cast<int32_t>(static_cast<uint32_t>(outbox_.sent().question()));
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

}  // namespace ps

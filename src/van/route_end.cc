// Deadlines, memory that is given back, and the end of Route.
#include <algorithm>
#include <iterator>
#include <utility>

#include "base/parse.h"
#include "message/node_id.h"
#include "van/route.h"

namespace ps {
namespace {

// How often deadlines are looked at, at least.
int64_t StepOf(int64_t timeout_ms) { return std::min<int64_t>(1000, timeout_ms / 8 + 1); }
constexpr int64_t kConnectAgainMs = 200;
// Not every transport says when a link that was closed has let go of memory.
constexpr int64_t kLookAtDyingMs = 20;

}  // namespace

int64_t Route::OnTimer(int64_t now_ms, std::vector<Undelivered>* expired) {
  MutexLock lock(mutex_);
  // A sender that still waits asks again every ask_after_ms.
  if (peer_waits_ && now_ms - wanted_room_ms_ > 2 * host_.settings.ask_after_ms) peer_waits_ = false;
  if (peer_waits_ && CreditsUntold()) SendBareLocked(FrameKind::kAck);
  if (AllReleased()) {
    HandBack(std::move(held_back_), expired);
  } else {
    host_.wake_at(now_ms + kLookAtDyingMs);
  }
  const int64_t kept_due = ExpireKept(now_ms, expired);
  if (!closed_.ok()) return kept_due;
  if (link_ == nullptr && now_ms >= connect_ms_) TryConnect(now_ms);
  PumpLocked();
  ExpireLocked(now_ms, expired);
  DeliverySender& sent = outbox_.sent();
  if (sent.next_ask_ms() >= 0 && sent.next_ask_ms() <= now_ms) {
    host_.counters->Add(Counter::kResendsAsked);
    AskForMissing(now_ms);
  }
  if (DrainedLocked()) return kept_due;
  const int64_t timeout = host_.settings.request_timeout_ms;
  int64_t next = sent.next_ask_ms() < 0 ? kept_due : std::min(kept_due, sent.next_ask_ms());
  if (timeout > 0) next = std::min(next, now_ms + StepOf(timeout));
  return next;
}

void Route::ExpireLocked(int64_t now_ms, std::vector<Undelivered>* expired) {
  const int64_t timeout = host_.settings.request_timeout_ms;
  // It looks at all that waits, and the timer comes with each thing that the transport lets go of.
  if (timeout <= 0 || outbox_.drained() || now_ms < expire_ms_) return;
  const std::string trouble = connect_error_.ok() ? "" : "; connecting failed: " + connect_error_.message();
  const Status why = Status::DeadlineExceeded(DescribeNode(peer_) + " has not acknowledged it for " +
                                              FormatSeconds(timeout) + " s (PS_REQUEST_TIMEOUT)" + trouble);
  Outbox::GivenUp given_up = outbox_.Expire(now_ms, timeout, why, host_.self->id());
  expire_ms_ = std::min(given_up.next_ms, now_ms + StepOf(timeout));
  TakeBack(given_up);
  for (const Undelivered& message : given_up.reported) {
    (void)open_requests_.Forget(message.meta.app_id, message.meta.customer_id, message.meta.timestamp);
  }
  HandBack(std::move(given_up.reported), expired);
}

bool Route::AllReleased() {
  const auto is_released = [](const std::unique_ptr<Link>& link) { return link->unreleased() == 0; };
  const size_t before = dying_.size();
  dying_.erase(std::remove_if(dying_.begin(), dying_.end(), is_released), dying_.end());
  if (dying_.size() != before && dying_.empty()) changed_.NotifyAll();
  return dying_.empty();
}

void Route::HandBack(std::vector<Undelivered> from, std::vector<Undelivered>* to) {
  if (!AllReleased()) to = &held_back_;
  std::move(from.begin(), from.end(), std::back_inserter(*to));
}

bool Route::HoldsMemory() {
  MutexLock lock(mutex_);
  return !AllReleased() || !held_back_.empty();
}

// Requests that wait for a lost peer have the deadline of those that nobody acknowledges, from the moment it
// was lost. Returns when the next one is due.
int64_t Route::ExpireKept(int64_t now_ms, std::vector<Undelivered>* expired) {
  const int64_t answer_timeout = host_.settings.answer_timeout_ms;
  if (answer_timeout > 0) {
    std::vector<uint64_t> forgotten;
    // Their customer gives them up at the same deadline.
    for (const Outgoing& request : open_requests_.TakeIssuedBefore(now_ms - answer_timeout)) {
      forgotten.push_back(request.bytes());
    }
    WithdrawKept(forgotten);
  }
  const int64_t timeout = host_.settings.request_timeout_ms;
  if (suspended_since_ms_ < 0 || timeout <= 0 || open_requests_.empty()) return CondVar::kNever;
  if (now_ms - suspended_since_ms_ >= timeout) {
    const Status why = Status::DeadlineExceeded(closed_.message() + "; it has not come back in " +
                                                FormatSeconds(timeout) + " s (PS_REQUEST_TIMEOUT)");
    std::vector<Undelivered> late;
    for (const Outgoing& request : open_requests_.TakeIssuedBefore(now_ms - timeout)) {
      room_.Withdraw(request.bytes());
      late.push_back({outbox_.MetaOf(request.header, host_.self->id()), why});
    }
    HandBack(std::move(late), expired);
    if (open_requests_.empty()) return CondVar::kNever;
  }
  return timeout + std::max(suspended_since_ms_, open_requests_.oldest_ms());
}

// After it neither the route nor its link refers to memory of what was given up, and a link that did is
// dying.
void Route::TakeBack(const Outbox::GivenUp& given_up) {
  for (const uint64_t bytes : given_up.withdrawn) room_.Withdraw(bytes);
  if (given_up.copied && link_ != nullptr && link_->unreleased() > 0) Reconnect();
  if (!given_up.withdrawn.empty()) changed_.NotifyAll();
}

void Route::EndLink() {
  link_->Close();
  if (link_->unreleased() > 0) {
    dying_.push_back(std::move(link_));
    host_.wake_at(Clock::Real().NowMs() + kLookAtDyingMs);
  }
  link_ = nullptr;
}

void Route::Reconnect() {
  EndLink();
  TryConnect(Clock::Real().NowMs());
  PumpLocked();
}

void Route::TryConnect(int64_t now_ms) {
  Result<std::unique_ptr<Link>> link = connect_();
  connect_error_ = link.status();
  if (link.ok()) {
    link_ = std::move(link).value();
    outbox_.queue().set_piece_bytes(link_->piece_bytes());
    return;
  }
  connect_ms_ = now_ms + kConnectAgainMs;
  host_.wake_at(connect_ms_);
}

void Route::WithdrawKept(const std::vector<uint64_t>& bytes) {
  if (suspended_since_ms_ < 0 || bytes.empty()) return;
  for (const uint64_t of_one : bytes) room_.Withdraw(of_one);
  changed_.NotifyAll();
}

void Route::ReleaseLent(const Lent& lent) {
  MutexLock lock(mutex_);
  WithdrawKept(open_requests_.Forget(lent.app_id, lent.customer_id, lent.timestamp));
  if (closed_.ok()) TakeBack(outbox_.Release(lent.app_id, lent.customer_id, lent.timestamp));
  // The library's threads let go of what they have in hand; OnTimer hears of it.
  while (!AllReleased() && !shut_down_) changed_.Wait(mutex_);
}

bool Route::DrainedLocked() const { return !closed_.ok() || outbox_.drained(); }

bool Route::WaitDrained(Deadline deadline) {
  const DependsOnFrames depends(host_.dependents);
  MutexLock lock(mutex_);
  const int64_t step = std::max<int64_t>(1, host_.settings.ask_after_ms / 10);
  int64_t ask_at = Clock::Real().NowMs();  // nothing young is sent again
  while (!DrainedLocked()) {
    const int64_t now = Clock::Real().NowMs();
    if (now >= ask_at) {
      AskForMissing(now);
      ask_at = now + step;
    }
    if (deadline.expired(now)) return false;
    ++num_draining_;
    changed_.WaitUntil(mutex_, std::min(deadline.at_ms(), ask_at));
    --num_draining_;
  }
  return true;
}

std::vector<Undelivered> Route::Close(const Status& why, Then then) {
  MutexLock lock(mutex_);
  const bool was_open = closed_.ok();
  const bool was_suspended = suspended_since_ms_ >= 0;
  if (!was_open && !was_suspended) return {};
  if (then == Then::kKeepRequests && was_suspended) return {};
  closed_ = why;
  std::vector<Undelivered> undelivered;
  if (then == Then::kKeepRequests) {
    Suspend();
  } else {
    undelivered = GiveUp(why);
  }
  if (was_open && link_ != nullptr && link_->unreleased() > 0) Reconnect();
  changed_.NotifyAll();
  std::vector<Undelivered> released;
  HandBack(std::move(undelivered), &released);
  return released;
}

void Route::Suspend() {
  suspended_since_ms_ = Clock::Real().NowMs();
  (void)outbox_.Clear(closed_, host_.self->id());  // the requests among it are kept
  room_ = CreditSender(host_.settings.water_mark, host_.settings.send_buffer_bytes);
  for (const uint64_t bytes : open_requests_.Sizes()) room_.Issue(bytes);
  if (host_.settings.request_timeout_ms > 0) {
    host_.wake_at(suspended_since_ms_ + host_.settings.request_timeout_ms);
  }
}

std::vector<Undelivered> Route::GiveUp(const Status& why) {
  std::vector<Undelivered> undelivered = outbox_.Clear(why, host_.self->id());
  const std::vector<Outgoing> kept = open_requests_.TakeAll();
  // While the peer was there, what it had not acknowledged was in the outbox.
  if (suspended_since_ms_ < 0) return undelivered;
  suspended_since_ms_ = -1;
  for (const Outgoing& request : kept) {
    undelivered.push_back({outbox_.MetaOf(request.header, host_.self->id()), why});
  }
  return undelivered;
}

std::vector<Outgoing> Route::Supersede() {
  MutexLock lock(mutex_);
  suspended_since_ms_ = -1;
  if (closed_.ok()) {
    closed_ = Status::Unavailable(DescribeNode(peer_) + " was replaced");
    (void)outbox_.Clear(closed_, host_.self->id());
  }
  if (link_ != nullptr) EndLink();
  changed_.NotifyAll();
  return open_requests_.TakeAll();
}

void Route::Shutdown() {
  MutexLock lock(mutex_);
  if (closed_.ok() || suspended_since_ms_ >= 0) closed_ = Status::Cancelled("the node ends");
  suspended_since_ms_ = -1;
  (void)outbox_.Clear(closed_, host_.self->id());
  (void)open_requests_.TakeAll();
  if (link_ != nullptr) link_->Close();
  link_.reset();
  dying_.clear();
  received_ = DeliveryReceiver();
  assembler_.Clear();
  shut_down_ = true;
  changed_.NotifyAll();
}

}  // namespace ps

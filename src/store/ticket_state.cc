#include "store/ticket_state.h"

#include <limits>
#include <utility>

#include "base/clock.h"
#include "ps/ticket.h"

namespace ps {

TicketState::TicketState(std::shared_ptr<ServerLink> link, Explain explain)
    : link_(std::move(link)), explain_(std::move(explain)) {}

void TicketState::SetRequest(const SentRequest& request) {
  MutexLock lock(mutex_);
  request_ = request;
}

void TicketState::Finish(const Status& outcome) {
  std::vector<Continuation> continuations;
  Explain explain;  // what it holds goes without the lock
  {
    MutexLock lock(mutex_);
    if (is_done_) return;
    is_done_ = true;
    outcome_ = outcome;
    explain = std::move(explain_);
    continuations.swap(continuations_);
  }
  if (hook_) hook_(outcome);
  for (Continuation& continuation : continuations) Continue(std::move(continuation), outcome);
}

// Where the store has closed there is no thread but the caller's.
void TicketState::Continue(Continuation continuation, const Status& outcome) {
  const auto run = [continuation = std::move(continuation), outcome] { continuation(outcome); };
  if (!link_->Post(run)) run();
}

Status TicketState::Wait(const std::chrono::milliseconds* timeout) {
  const std::int64_t deadline_ms = timeout == nullptr ? std::numeric_limits<std::int64_t>::max()
                                                      : Clock::Real().NowMs() + timeout->count();
  SentRequest request;
  {
    MutexLock lock(mutex_);
    if (is_done_) return outcome_;
    request = request_;
  }
  const Status waited = link_->WaitUntil(request, deadline_ms);
  {
    MutexLock lock(mutex_);
    if (is_done_) return outcome_;
  }
  if (waited.code() != StatusCode::kDeadlineExceeded) return waited;
  const std::string why = ExplainDelay();
  return why.empty() ? waited : Status::DeadlineExceeded(why);
}

std::string TicketState::ExplainDelay() {
  Explain explain;
  {
    MutexLock lock(mutex_);
    explain = explain_;
  }
  return explain ? explain() : std::string();
}

bool TicketState::done() {
  MutexLock lock(mutex_);
  return is_done_;
}

void TicketState::Then(Continuation continuation) {
  Status outcome;
  {
    MutexLock lock(mutex_);
    if (!is_done_) return continuations_.push_back(std::move(continuation));
    outcome = outcome_;
  }
  Continue(std::move(continuation), outcome);
}

// --- Ticket ---

bool Ticket::Done() const { return state_ == nullptr || state_->done(); }

Status Ticket::WaitUntil(const std::chrono::milliseconds* timeout) const {
  return state_ == nullptr ? Status::Ok() : state_->Wait(timeout);
}

void Ticket::Then(std::function<void(const Status&)> continuation) const {
  if (state_ == nullptr) return continuation(Status::Ok());
  state_->Then(std::move(continuation));
}

}  // namespace ps

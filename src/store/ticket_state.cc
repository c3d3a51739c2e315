#include "store/ticket_state.h"

#include <exception>
#include <utility>

#include "base/log.h"

namespace ps {
namespace {

// The thread of the store is for others, too.
void RunGuarded(const TicketState::Continuation& continuation, const Status& outcome) {
  try {
    continuation(outcome);
  } catch (const std::exception& error) {
    PS_LOG(kError, "", "what was to follow an operation of the store has failed: " << error.what());
  } catch (...) {
    PS_LOG(kError, "", "what was to follow an operation of the store has failed");
  }
}

}  // namespace

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
    finished_.NotifyAll();
  }
  if (hook_) hook_(outcome);
  for (Continuation& continuation : continuations) Continue(std::move(continuation), outcome);
}

// Where the store has closed there is no thread but the caller's.
void TicketState::Continue(Continuation continuation, const Status& outcome) {
  const auto run = [continuation = std::move(continuation), outcome] { RunGuarded(continuation, outcome); };
  if (!link_->Post(run)) run();
}

Status TicketState::Wait(const std::chrono::milliseconds* timeout) {
  const std::int64_t deadline_ms = DeadlineOf(timeout);
  SentRequest request;
  {
    MutexLock lock(mutex_);
    if (is_done_) return outcome_;
    request = request_;
  }
  const Status waited = link_->WaitUntil(request, deadline_ms);
  {
    MutexLock lock(mutex_);
    // The link may know of the end before whoever brings it has told.
    bool in_time = true;
    while (waited.ok() && !is_done_ && in_time) in_time = finished_.WaitUntil(mutex_, deadline_ms);
    if (is_done_) return outcome_;
  }
  if (!waited.ok() && waited.code() != StatusCode::kDeadlineExceeded) return waited;
  const std::string why = ExplainDelay();
  if (!why.empty()) return Status::DeadlineExceeded(why);
  return waited.ok() ? Status::DeadlineExceeded("the operation is not done in the time given to this wait")
                     : waited;
}

std::string TicketState::ExplainDelay() {
  Explain explain;
  {
    MutexLock lock(mutex_);
    explain = explain_;
  }
  try {
    return explain ? explain() : std::string();
  } catch (const Error&) {
    return std::string();  // there is nobody to ask any more
  }
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

}  // namespace ps

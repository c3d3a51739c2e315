#include "group/group_ticket.h"

#include <utility>

#include "base/guarded.h"
#include "base/log.h"

namespace ps {
namespace {

thread_local const void* group_of_thread = nullptr;

}  // namespace

GroupTicket::OnThread::OnThread(const void* group) : before_(std::exchange(group_of_thread, group)) {}
GroupTicket::OnThread::~OnThread() { group_of_thread = before_; }
bool GroupTicket::OnThread::IsOf(const void* group) { return group_of_thread == group; }

void GroupTicket::Finish(const Status& outcome) {
  std::vector<Continuation> continuations;
  {
    MutexLock lock(mutex_);
    if (is_done_) return;
    is_done_ = true;
    outcome_ = outcome;
    continuations.swap(continuations_);
    finished_.NotifyAll();
  }
  for (Continuation& continuation : continuations) Continue(std::move(continuation), outcome);
}

// Where the group has closed there is no thread but the caller's.
void GroupTicket::Continue(Continuation continuation, const Status& outcome) const {
  const auto run = [continuation = std::move(continuation), outcome] {
    const Status ran = Guarded([&] {
      continuation(outcome);
      return Status::Ok();
    });
    if (!ran.ok()) PS_LOG(kError, "", "what was to follow an operation of a model has failed: " << ran);
  };
  if (!owner_.post(run)) run();
}

Status GroupTicket::Wait(const std::chrono::milliseconds* timeout) {
  const std::chrono::milliseconds own(owner_.timeout_ms);
  const bool has_own = timeout == nullptr && owner_.timeout_ms > 0;
  const std::int64_t deadline_ms = DeadlineOf(has_own ? &own : timeout);
  {
    MutexLock lock(mutex_);
    if (is_done_) return outcome_;
    if (OnThread::IsOf(owner_.group))
      return Status::FailedPrecondition("waiting inside a callback of the same model would never end");
    bool in_time = true;
    while (!is_done_ && in_time) in_time = finished_.WaitUntil(mutex_, deadline_ms);
    if (is_done_) return outcome_;
  }
  if (has_own && owner_.more_ms != nullptr) {
    const std::chrono::milliseconds more(owner_.more_ms());
    const std::int64_t at_last_ms = DeadlineOf(&more);
    MutexLock lock(mutex_);
    while (!is_done_ && finished_.WaitUntil(mutex_, at_last_ms)) {
    }
    if (is_done_) return outcome_;
  }
  const Status overdue = owner_.overdue(has_own);
  MutexLock lock(mutex_);
  return is_done_ ? outcome_ : overdue;
}

bool GroupTicket::done() {
  MutexLock lock(mutex_);
  return is_done_;
}

void GroupTicket::Then(Continuation continuation) {
  Status outcome;
  {
    MutexLock lock(mutex_);
    if (!is_done_) return continuations_.push_back(std::move(continuation));
    outcome = outcome_;
  }
  Continue(std::move(continuation), outcome);
}

}  // namespace ps

#include "store/followed_ticket.h"

#include <chrono>
#include <memory>
#include <utility>
#include <vector>

#include "base/guarded.h"
#include "base/mutex.h"
#include "store/ticket_source.h"

namespace ps {
namespace {

class FollowedSource final : public TicketSource {
 public:
  FollowedSource(const Ticket& first, std::function<Status()> work) : first_(first), work_(std::move(work)) {}

  Status Wait(const std::chrono::milliseconds* timeout) override {
    const std::int64_t deadline_ms = DeadlineOf(timeout);
    const Status waited = WaitForFirst(timeout);
    if (!first_.Done()) return waited;
    // It may have ended just after the wait for it had: then `waited` is the end of that wait alone.
    Run(first_.WaitFor(std::chrono::milliseconds(0)));
    MutexLock lock(mutex_);
    bool in_time = true;
    while (!is_done_ && in_time) in_time = finished_.WaitUntil(mutex_, deadline_ms);
    return is_done_ ? outcome_
                    : Status::DeadlineExceeded("what the operation brought is still being handed on");
  }

  bool done() override {
    MutexLock lock(mutex_);
    return is_done_;
  }

  void Then(Continuation continuation) override {
    {
      MutexLock lock(mutex_);
      if (!is_done_) return continuations_.push_back(std::move(continuation));
    }
    // Asked of the first operation, so that it runs on a thread of its store.
    first_.Then([this_outcome = Outcome(), continuation = std::move(continuation)](const Status&) {
      continuation(this_outcome);
    });
  }

  // With the outcome of the first operation. The first one who calls does the work.
  void Run(const Status& first) {
    {
      MutexLock lock(mutex_);
      if (has_begun_) return;
      has_begun_ = true;
    }
    const Status outcome = Work(first);
    std::vector<Continuation> continuations;
    {
      MutexLock lock(mutex_);
      outcome_ = outcome;
      is_done_ = true;
      continuations.swap(continuations_);
      finished_.NotifyAll();
    }
    for (Continuation& continuation : continuations) {
      first_.Then(
          [outcome, continuation = std::move(continuation)](const Status&) { continuation(outcome); });
    }
  }

 private:
  Status WaitForFirst(const std::chrono::milliseconds* timeout) const {
    if (timeout != nullptr) return first_.WaitFor(*timeout);
    try {
      first_.Wait();
      return Status::Ok();
    } catch (const Error& error) {
      return error.status();
    }
  }
  Status Work(const Status& first) {
    // What it holds goes with it, done or not: that may be a tensor which holds this ticket.
    const std::function<Status()> work = std::exchange(work_, nullptr);
    if (!first.ok()) return first;
    return Guarded(work);
  }
  Status Outcome() {
    MutexLock lock(mutex_);
    return outcome_;
  }

  const Ticket first_;
  std::function<Status()> work_;  // of the one who runs it
  Mutex mutex_;
  CondVar finished_;
  bool has_begun_ PS_GUARDED_BY(mutex_) = false;
  bool is_done_ PS_GUARDED_BY(mutex_) = false;
  Status outcome_ PS_GUARDED_BY(mutex_);
  std::vector<Continuation> continuations_ PS_GUARDED_BY(mutex_);
};

}  // namespace

Ticket Followed(const Ticket& first, std::function<Status()> work) {
  auto source = std::make_shared<FollowedSource>(first, std::move(work));
  first.Then([source](const Status& outcome) { source->Run(outcome); });
  return Ticket(std::move(source));
}

}  // namespace ps

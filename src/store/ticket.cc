#include "ps/ticket.h"

#include <cstddef>
#include <limits>

#include "base/clock.h"
#include "base/guarded.h"
#include "base/mutex.h"
#include "store/ticket_source.h"

namespace ps {
namespace {

// Several operations as one.
class JointSource final : public TicketSource {
 public:
  explicit JointSource(const std::vector<Ticket>& tickets) : tickets_(tickets) {}

  Status Wait(const std::chrono::milliseconds* timeout) override {
    const std::int64_t begin_ms = Clock::Real().NowMs();
    Status outcome;
    for (const Ticket& ticket : tickets_) {
      const Status one = timeout == nullptr ? Outcome(ticket) : ticket.WaitFor(Left(*timeout, begin_ms));
      if (!ticket.Done()) return one;
      if (outcome.ok()) outcome = one;
    }
    return outcome;
  }

  bool done() override {
    for (const Ticket& ticket : tickets_) {
      if (!ticket.Done()) return false;
    }
    return true;
  }

  void Then(Continuation continuation) override {
    const auto end = std::make_shared<End>(tickets_.size(), std::move(continuation));
    for (std::size_t i = 0; i < tickets_.size(); ++i)
      tickets_[i].Then([end, i](const Status& outcome) { end->Come(i, outcome); });
  }

 private:
  // Without a deadline each has its own.
  static Status Outcome(const Ticket& ticket) {
    return Guarded([&] {
      ticket.Wait();
      return Status::Ok();
    });
  }
  static std::chrono::milliseconds Left(std::chrono::milliseconds timeout, std::int64_t begin_ms) {
    const std::chrono::milliseconds gone(Clock::Real().NowMs() - begin_ms);
    return gone < timeout ? timeout - gone : std::chrono::milliseconds(0);
  }

  // Counts those that have ended, and continues with the last.
  class End {
   public:
    End(std::size_t open, Continuation continuation) : continuation_(std::move(continuation)), open_(open) {}
    void Come(std::size_t place, const Status& outcome) {
      {
        MutexLock lock(mutex_);
        if (!outcome.ok() && place < failed_) {
          failed_ = place;
          outcome_ = outcome;
        }
        if (--open_ > 0) return;
      }
      continuation_(Outcome());
    }

   private:
    Status Outcome() {
      MutexLock lock(mutex_);
      return outcome_;
    }

    const Continuation continuation_;
    Mutex mutex_;
    std::size_t open_ PS_GUARDED_BY(mutex_);
    std::size_t failed_ PS_GUARDED_BY(mutex_) = std::numeric_limits<std::size_t>::max();
    Status outcome_ PS_GUARDED_BY(mutex_);
  };

  const std::vector<Ticket> tickets_;
};

}  // namespace

bool Ticket::Done() const { return source_ == nullptr || source_->done(); }

Status Ticket::WaitUntil(const std::chrono::milliseconds* timeout) const {
  return source_ == nullptr ? Status::Ok() : source_->Wait(timeout);
}

void Ticket::Then(std::function<void(const Status&)> continuation) const {
  if (source_ == nullptr) return continuation(Status::Ok());
  source_->Then(std::move(continuation));
}

Ticket AllOf(const std::vector<Ticket>& tickets) {
  if (tickets.empty()) return Ticket();
  return tickets.size() == 1 ? tickets.front() : Ticket(std::make_shared<JointSource>(tickets));
}

}  // namespace ps

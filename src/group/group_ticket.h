#ifndef PS_GROUP_GROUP_TICKET_H_
#define PS_GROUP_GROUP_TICKET_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "base/mutex.h"
#include "ps/ticket.h"
#include "store/ticket_source.h"

namespace ps {

// An operation of a Group. Thread-safe.
class GroupTicket final : public TicketSource {
 public:
  struct Owner {
    const void* group = nullptr;  // on whose threads nobody waits for it
    std::int64_t timeout_ms = 0;  // after which who waits without a time gives up; 0: never
    // Runs code on a thread of the group; false: there is none any more.
    std::function<bool(std::function<void()>)> post;
    // What it waits for. `gives_up`: the operation is to end with that, if it can.
    std::function<Status(bool gives_up)> overdue;
    // How much longer who would give up waits, for somebody who knows more of what is wrong; null: not at
    // all.
    std::function<std::int64_t()> more_ms;
  };

  explicit GroupTicket(Owner owner) : owner_(std::move(owner)) {}

  // Code of a group runs on this thread while it lives.
  class OnThread {
   public:
    explicit OnThread(const void* group);
    ~OnThread();
    OnThread(const OnThread&) = delete;
    OnThread& operator=(const OnThread&) = delete;
    static bool IsOf(const void* group);

   private:
    const void* const before_;
  };

  // The first outcome counts.
  void Finish(const Status& outcome) PS_EXCLUDES(mutex_);
  Status Wait(const std::chrono::milliseconds* timeout) override PS_EXCLUDES(mutex_);
  bool done() override PS_EXCLUDES(mutex_);
  void Then(Continuation continuation) override PS_EXCLUDES(mutex_);

 private:
  void Continue(Continuation continuation, const Status& outcome) const;

  const Owner owner_;
  Mutex mutex_;
  CondVar finished_;
  bool is_done_ PS_GUARDED_BY(mutex_) = false;
  Status outcome_ PS_GUARDED_BY(mutex_);
  std::vector<Continuation> continuations_ PS_GUARDED_BY(mutex_);
};

}  // namespace ps

#endif  // PS_GROUP_GROUP_TICKET_H_

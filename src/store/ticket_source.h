#ifndef PS_STORE_TICKET_SOURCE_H_
#define PS_STORE_TICKET_SOURCE_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>

#include "base/clock.h"
#include "ps/status.h"

namespace ps {

// What the copies of a Ticket share. Thread-safe.
class TicketSource {
 public:
  using Continuation = std::function<void(const Status&)>;

  virtual ~TicketSource() = default;
  // The outcome, or kDeadlineExceeded; null: no deadline.
  virtual Status Wait(const std::chrono::milliseconds* timeout) = 0;
  virtual bool done() = 0;
  virtual void Then(Continuation continuation) = 0;
};

// Of such a wait, by the real clock; null and what is beyond all times: never.
inline std::int64_t DeadlineOf(const std::chrono::milliseconds* timeout) {
  constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
  if (timeout == nullptr) return kNever;
  const std::int64_t now_ms = Clock::Real().NowMs();
  return timeout->count() > kNever - now_ms ? kNever : now_ms + timeout->count();
}

}  // namespace ps
#endif  // PS_STORE_TICKET_SOURCE_H_

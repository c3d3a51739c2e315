#ifndef PS_STORE_TICKET_SOURCE_H_
#define PS_STORE_TICKET_SOURCE_H_

#include <chrono>
#include <functional>

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

}  // namespace ps
#endif  // PS_STORE_TICKET_SOURCE_H_

// Ticket: an operation of the store that is under way.
#ifndef PS_TICKET_H_
#define PS_TICKET_H_

#include <chrono>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "ps/status.h"

namespace ps {

class TicketSource;

// A handle: copies are of the same operation, and dropping it changes nothing, the operation goes on. Any
// thread.
class Ticket {
 public:
  // Of nothing: done.
  Ticket() = default;
  // For the library.
  explicit Ticket(std::shared_ptr<TicketSource> source) : source_(std::move(source)) {}

  // Returns when the operation is done; throws Error when it failed, and where waiting could never end (in a
  // continuation of the same store).
  void Wait() const { ThrowIfError(WaitUntil(nullptr)); }
  // The same with the outcome as a value; kDeadlineExceeded after `timeout`, which does not end the
  // operation, and says whom it waits for.
  Status WaitFor(std::chrono::milliseconds timeout) const { return WaitUntil(&timeout); }
  bool Done() const;
  // Runs `continuation` with the outcome, once, on a thread of the store: soon if the operation is done. It
  // must not wait for tickets; what it throws is logged. The caller runs it where the store has closed, or
  // there is nothing to be done.
  void Then(std::function<void(const Status& outcome)> continuation) const;

 private:
  Status WaitUntil(const std::chrono::milliseconds* timeout) const;

  std::shared_ptr<TicketSource> source_;
};

// Of all these operations: done when every one is, with the outcome of the first in this order that failed.
Ticket AllOf(const std::vector<Ticket>& tickets);

}  // namespace ps

#endif  // PS_TICKET_H_

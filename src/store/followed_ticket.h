#ifndef PS_STORE_FOLLOWED_TICKET_H_
#define PS_STORE_FOLLOWED_TICKET_H_

#include <functional>

#include "ps/ticket.h"

namespace ps {

// An operation and what is still to be done when it has ended well, such as handing on what came: done when
// `work` has run, with its outcome. It runs once, on the thread of the first who waits or on a thread of the
// store, and not where the operation failed. It must not wait for tickets; what it throws is the outcome.
Ticket Followed(const Ticket& first, std::function<Status()> work);

}  // namespace ps
#endif  // PS_STORE_FOLLOWED_TICKET_H_

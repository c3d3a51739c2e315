// Requests: how operations of the library become handles of the caller.
#ifndef PS_C_API_REQUEST_H_
#define PS_C_API_REQUEST_H_

#include <memory>
#include <utility>
#include <vector>

#include "c_api/handles.h"
#include "ps/c/base.h"
#include "ps/ticket.h"

namespace ps::c_api {

// One operation, or several as one. Immutable, so any thread.
class Request {
 public:
  // `keep`: what waits for it use, a node; it lasts as long as this.
  Request(Ticket ticket, std::shared_ptr<void> keep) : keep_(std::move(keep)), whole_(std::move(ticket)) {}
  // What several requests consist of is one list, in which no operation is twice: a request of requests of
  // requests is waited for as long as its operations take.
  explicit Request(const std::vector<std::shared_ptr<Request>>& requests);

  const Ticket& ticket() const { return whole_; }

 private:
  std::vector<std::shared_ptr<Request>> parts_;  // single ones; empty in a single one, and in one of nothing
  bool several_ = false;
  const std::shared_ptr<void> keep_;  // goes after the ticket
  Ticket whole_;
};

template <>
struct HandleTraits<PSRequest> {
  using Object = Request;
  static constexpr char kName[] = "PSRequest";
};

// The end of a function with a `PSRequest* request`: waits where that is null, else hands one out, which
// keeps the node that the operation goes through: whoever waits may do so while others free all else. Throws
// Error: the outcome.
void Finish(const Ticket& ticket, PSRequest* request, std::shared_ptr<void> node);

}  // namespace ps::c_api

#endif  // PS_C_API_REQUEST_H_

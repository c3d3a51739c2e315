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
  explicit Request(Ticket ticket) : whole_(std::move(ticket)) {}
  // What several requests consist of is one list, in which no operation is twice: a request of requests of
  // requests is waited for as long as its operations take.
  explicit Request(const std::vector<std::shared_ptr<Request>>& requests);

  const Ticket& ticket() const { return whole_; }

 private:
  std::vector<std::shared_ptr<Request>> parts_;  // single ones; empty in a single one, and in one of nothing
  bool several_ = false;
  Ticket whole_;
};

template <>
struct HandleTraits<PSRequest> {
  using Object = Request;
  static constexpr char kName[] = "PSRequest";
};

// The end of a function with a `PSRequest* request`: waits where that is null, else hands one out. Throws
// Error: the outcome.
void Finish(const Ticket& ticket, PSRequest* request);

}  // namespace ps::c_api

#endif  // PS_C_API_REQUEST_H_

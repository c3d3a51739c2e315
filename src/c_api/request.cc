#include "c_api/request.h"

#include <algorithm>
#include <chrono>
#include <unordered_set>

#include "c_api/error.h"

namespace ps::c_api {
namespace {

using std::chrono::milliseconds;

Status OutcomeWithin(const Ticket& ticket, int64_t timeout_ms) {
  const int64_t checked_ms = CheckTimeout(timeout_ms);
  if (checked_ms >= 0) return ticket.WaitFor(milliseconds(checked_ms));
  ticket.Wait();
  return Status::Ok();
}

}  // namespace

Request::Request(const std::vector<std::shared_ptr<Request>>& requests) : several_(true) {
  std::unordered_set<const Request*> seen;
  std::vector<Ticket> tickets;
  const auto add = [&](const std::shared_ptr<Request>& single) {
    if (!seen.insert(single.get()).second) return;
    parts_.push_back(single);
    tickets.push_back(single->ticket());
  };
  for (const auto& request : requests) {
    if (request->several_)
      std::for_each(request->parts_.begin(), request->parts_.end(), add);
    else
      add(request);
  }
  whole_ = AllOf(tickets);
}

void Finish(const Ticket& ticket, PSRequest* request, std::shared_ptr<void> node) {
  if (request == nullptr)
    ticket.Wait();
  else
    *request = NewHandle<PSRequest>(std::make_shared<Request>(ticket, std::move(node)));
}

}  // namespace ps::c_api

extern "C" {

int PSRequestWait(PSRequest request, int64_t timeout_ms) {
  return ps::c_api::Call([&] {
    ps::ThrowIfError(ps::c_api::OutcomeWithin(ps::c_api::ObjectOf(request)->ticket(), timeout_ms));
  });
}

int PSRequestDone(PSRequest request, int* done) {
  return ps::c_api::Call([&] {
    ps::c_api::CheckGiven(done, "done");
    *done = ps::c_api::ObjectOf(request)->ticket().Done() ? 1 : 0;
  });
}

int PSRequestError(PSRequest request) {
  return ps::c_api::Call([&] {
    const auto object = ps::c_api::ObjectOf(request);
    if (!object->ticket().Done())
      throw ps::Error(
          ps::Status::FailedPrecondition("the request is not done yet (PSRequestWait, PSRequestDone)"));
    ps::ThrowIfError(object->ticket().WaitFor(std::chrono::milliseconds(0)));
  });
}

int PSRequestThen(PSRequest request, PSRequestCallback callback, void* context) {
  return ps::c_api::Call([&] {
    ps::c_api::CheckGiven(reinterpret_cast<const void*>(callback), "callback");
    ps::c_api::ObjectOf(request)->ticket().Then([callback, context](const ps::Status& outcome) {
      callback(static_cast<int>(outcome.code()), outcome.message().c_str(), context);
    });
  });
}

int PSRequestAll(size_t num_requests, const PSRequest* requests, PSRequest* all) {
  return ps::c_api::Call([&] {
    ps::c_api::CheckGiven(all, "all");
    if (num_requests > 0) ps::c_api::CheckGiven(requests, "requests");
    std::vector<std::shared_ptr<ps::c_api::Request>> objects;
    for (size_t i = 0; i < num_requests; ++i) objects.push_back(ps::c_api::ObjectOf(requests[i]));
    *all = ps::c_api::NewHandle<PSRequest>(std::make_shared<ps::c_api::Request>(objects));
  });
}

int PSRequestFree(PSRequest request) {
  return ps::c_api::Call([&] { ps::c_api::FreeHandle(request); });
}

}  // extern "C"

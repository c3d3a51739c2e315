#include "ps/customer.h"

#include <limits>
#include <utility>

#include "app/customer_core.h"
#include "base/clock.h"
#include "ps/postoffice.h"

namespace ps {

Customer::Customer(int app_id, int customer_id, const RecvHandle& recv_handle, Postoffice* postoffice,
                   Delivery delivery)
    : core_(std::make_shared<CustomerCore>(this, app_id, customer_id, recv_handle, postoffice)) {
  if (!recv_handle) ThrowIfError(Status::InvalidArgument("invalid receive handle"));
  if (delivery == Delivery::kAtOnce) Open();
}

Customer::~Customer() { core_->Close(); }

int Customer::app_id() const { return core_->app_id(); }

int Customer::customer_id() const { return core_->customer_id(); }

void Customer::Open() { ThrowIfError(core_->Open()); }

void Customer::Close() { core_->Close(); }

int Customer::NewRequest(int recver) {
  RequestTracker::Request request;
  request.receivers = core_->postoffice()->GetNodeIDs(recver);
  return core_->Issue(std::move(request));
}

void Customer::WaitRequest(int timestamp) {
  const std::shared_ptr<CustomerCore> core = core_;  // another thread may destroy the Customer meanwhile
  ThrowIfError(core->WaitUntil(timestamp, std::numeric_limits<int64_t>::max()));
}

Status Customer::WaitFor(int timestamp, std::chrono::milliseconds timeout) {
  const std::shared_ptr<CustomerCore> core = core_;
  return core->WaitUntil(timestamp, Clock::Real().NowMs() + timeout.count());
}

int Customer::NumResponse(int timestamp) { return core_->NumAnswers(timestamp).value(); }

void Customer::AddResponse(int timestamp, int num) { ThrowIfError(core_->Credit(timestamp, num)); }

void Customer::Accept(const Message& received) {
  Message copy(received);
  core_->Push(&copy, 1, false);
}

void Customer::WaitIdle() { core_->WaitIdle(); }

bool Customer::Borrows(const Meta& meta) const {
  if (meta.simple_app) return false;
  const Borrowing& borrowing = core_->borrowing;
  return meta.request ? borrowing.of_requests.load() : borrowing.of_answers.load();
}

void Customer::Deliver(Message&& message) { DeliverAll(&message, 1); }

void Customer::DeliverAll(Message* first, std::size_t count) { core_->Push(first, count, true); }

void Customer::DeliverAnswers(const BareAnswer* first, std::size_t count) {
  core_->PushAnswers(first, count);
}

void Customer::OnUndelivered(const Meta& meta, const Status& why) { core_->OnUndelivered(meta, why); }

void Customer::OnNodeGone(int node_id, uint64_t incarnation, const Status& why) {
  core_->OnNodeGone(node_id, incarnation, why);
}

void Customer::OnClose(const Status& why) { core_->OnClose(why); }

int64_t Customer::OnTimer(int64_t /*now_ms*/) { return std::numeric_limits<int64_t>::max(); }

void Customer::OnMoved(Postoffice* to) { core_->OnMoved(to); }

int Customer::ReservedTimestamps() { return core_->ReservedTimestamps(); }

void Customer::BeginTimestampsAt(int first) { core_->BeginTimestampsAt(first); }

}  // namespace ps

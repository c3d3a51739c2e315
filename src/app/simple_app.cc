#include "ps/simple_app.h"

#include <utility>

#include "app/customer_core.h"
#include "base/mutex.h"
#include "ps/postoffice.h"

namespace ps {

// The handles. Shared, because a handle may replace itself, or destroy the app, while it runs.
class SimpleApp::Handles {
 public:
  using Shared = std::shared_ptr<const Handle>;

  void set_request(const Handle& handle) {
    MutexLock lock(mutex_);
    request_ = std::make_shared<const Handle>(handle);
  }
  void set_response(const Handle& handle) {
    MutexLock lock(mutex_);
    response_ = std::make_shared<const Handle>(handle);
  }
  Shared of(const Meta& meta) {
    MutexLock lock(mutex_);
    return meta.request ? request_ : response_;
  }

 private:
  Mutex mutex_;
  Shared request_ PS_GUARDED_BY(mutex_);
  Shared response_ PS_GUARDED_BY(mutex_);
};

SimpleApp::SimpleApp() : handles_(std::make_unique<Handles>()) {}

SimpleApp::SimpleApp(int app_id, int customer_id) : SimpleApp(nullptr, app_id, customer_id) {}

SimpleApp::SimpleApp(Postoffice* postoffice, int app_id, int customer_id) : SimpleApp() {
  MakeCustomer(postoffice, app_id, customer_id);
  obj_->Open();
}

SimpleApp::~SimpleApp() {
  CloseCustomer();
  const std::unique_ptr<Customer> owned(obj_);
}

void SimpleApp::MakeCustomer(Postoffice* postoffice, int app_id, int customer_id) {
  const auto receive = [this](const Message& message) { Process(message); };
  obj_ = std::make_unique<Customer>(app_id, customer_id, receive, postoffice, Customer::Delivery::kAfterOpen)
             .release();
}

void SimpleApp::CloseCustomer() {
  if (obj_ != nullptr) obj_->Close();
}

int SimpleApp::Request(int head, const std::string& body, int recv_id) {
  CustomerCore& core = obj_->core();
  RequestTracker::Request request;
  request.receivers = core.postoffice()->GetNodeIDs(recv_id);
  const std::vector<int> receivers = request.receivers;
  Message message;
  message.meta.head = head;
  message.meta.body = body;
  message.meta.simple_app = true;
  message.meta.timestamp = core.Issue(std::move(request));
  for (int receiver : receivers) {
    message.meta.recver = receiver;
    core.SendRequest(Message(message));
  }
  return message.meta.timestamp;
}

void SimpleApp::Wait(int timestamp) { obj_->WaitRequest(timestamp); }

Status SimpleApp::WaitFor(int timestamp, std::chrono::milliseconds timeout) {
  return obj_->WaitFor(timestamp, timeout);
}

void SimpleApp::Response(const SimpleData& req, const std::string& body) {
  Meta request;
  request.head = req.head;
  request.sender = req.sender;
  request.timestamp = req.timestamp;
  request.customer_id = req.customer_id;
  request.simple_app = true;
  request.sender_incarnation = req.sender_incarnation;
  Message message;
  message.meta.body = body;
  obj_->core().SendResponse(request, std::move(message));
}

void SimpleApp::set_request_handle(const Handle& request_handle) {
  CHECK(request_handle) << "invalid request handle";
  handles_->set_request(request_handle);
  if (obj_ != nullptr) obj_->core().ReleaseHeld(HeldRequests::kCommands);
}

void SimpleApp::set_response_handle(const Handle& response_handle) {
  CHECK(response_handle) << "invalid response handle";
  handles_->set_response(response_handle);
}

Customer* SimpleApp::get_customer() { return obj_; }

void SimpleApp::Process(const Message& msg) {
  const Handles::Shared handle = handles_->of(msg.meta);
  if (handle == nullptr) {
    if (msg.meta.request) obj_->core().Hold(msg);
    return;
  }
  const Meta& meta = msg.meta;
  const SimpleData data{meta.head,      meta.body,        meta.sender,
                        meta.timestamp, meta.customer_id, meta.sender_incarnation};
  (*handle)(data, this);
}

}  // namespace ps

// SimpleApp: requests and answers that are a number and a text.
#ifndef PS_SIMPLE_APP_H_
#define PS_SIMPLE_APP_H_

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "ps/customer.h"
#include "ps/message.h"
#include "ps/status.h"

namespace ps {

class Postoffice;

// A received request, or the answer to one. A plain value.
struct SimpleData {
  int head = 0;                     // the command, any int
  std::string body;                 // any bytes
  int sender = 0;                   // node id
  int timestamp = 0;                // of the request, at its sender
  int customer_id = 0;              // of the sender of the request
  uint64_t sender_incarnation = 0;  // of the sender: an answer to one that was restarted since goes nowhere
};

// Sends commands to nodes or groups and answers those it receives. Any node may own some, the scheduler
// included. Thread-safe.
class SimpleApp {
 public:
  // Runs on the Customer's thread. It may keep `received` and answer later, from any thread; an exception it
  // throws fails the request at its sender.
  using Handle = std::function<void(const SimpleData& received, SimpleApp* app)>;

  // Throws Error when (app id, customer id) is taken on the node. The second form names the node, the first
  // finds it by the customer id.
  explicit SimpleApp(int app_id, int customer_id);
  SimpleApp(Postoffice* postoffice, int app_id, int customer_id);
  virtual ~SimpleApp();  // requests in flight fail with kCancelled
  SimpleApp(const SimpleApp&) = delete;
  SimpleApp& operator=(const SimpleApp&) = delete;

  // Sends (head, body) to a node or to every node of a group. Returns the timestamp at once, unless there is
  // no room on the way to a receiver.
  virtual int Request(int head, const std::string& body, int recv_id);
  // Returns when all receivers have answered and the response handle has seen the answers. Throws Error: who
  // failed and why.
  virtual void Wait(int timestamp);
  // Answers a request, once. Ignored when the node has left the cluster.
  virtual void Response(const SimpleData& req, const std::string& body = "");
  // KVServer hides this by its own for data, on purpose: compilers that warn of hiding name this place.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverloaded-virtual"
  // Sets who answers requests. Without one they wait 1 s for it and are then answered with an empty body. An
  // empty function is an error.
  virtual void set_request_handle(const Handle& request_handle);
#pragma GCC diagnostic pop
  // Sets who sees answers. The default does nothing. An empty function is an error.
  virtual void set_response_handle(const Handle& response_handle);
  virtual Customer* get_customer();

  // Wait with the outcome as a value; kDeadlineExceeded when the request is not done in time, which does not
  // end it.
  Status WaitFor(int timestamp, std::chrono::milliseconds timeout);

 protected:
  // For derived classes that set obj_ themselves; ~SimpleApp deletes it.
  SimpleApp();

  // Everything this app receives, on the Customer's thread.
  virtual void Process(const Message& msg);

  // For derived classes: makes obj_, without delivery. Delivery begins with obj_->Open(), the last act of the
  // most derived constructor.
  void MakeCustomer(Postoffice* postoffice, int app_id, int customer_id);
  // Ends delivery and callbacks; the first act of the most derived destructor.
  void CloseCustomer();

  Customer* obj_ = nullptr;

 private:
  class Handles;
  const std::unique_ptr<Handles> handles_;
};

}  // namespace ps

#endif  // PS_SIMPLE_APP_H_

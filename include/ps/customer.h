// Customer: one end of a conversation, named by (app id, customer id), with a thread of its own.
#ifndef PS_CUSTOMER_H_
#define PS_CUSTOMER_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>

#include "ps/mailbox.h"
#include "ps/message.h"
#include "ps/status.h"

namespace ps {

class CustomerCore;
class Postoffice;

// Sends requests and follows their answers; hands what comes in to a handle, one message at a time, on its
// thread `ps-app-<app>.<customer>`. Messages of one (sender, priority) come in the order sent, higher
// priorities first. Thread-safe. It must not outlive its Postoffice.
//
// A request is done when as many nodes as it was sent to have answered, each after the handle has seen its
// answer. It fails when one of them cannot answer any more, and at the latest PS_BARRIER_TIMEOUT after it was
// issued.
class Customer : public Mailbox {
 public:
  using RecvHandle = std::function<void(const Message& received)>;
  // With kAfterOpen nothing is delivered before Open: for owners that are still being built.
  enum class Delivery { kAtOnce, kAfterOpen };

  // `postoffice` null: the node started under `customer_id`, else the thread's; decided late when that id has
  // not been started (F-05). Throws Error: (app id, customer id) is taken on that node (already in the
  // constructor with kAtOnce).
  Customer(int app_id, int customer_id, const RecvHandle& recv_handle, Postoffice* postoffice = nullptr,
           Delivery delivery = Delivery::kAtOnce);
  ~Customer() override;  // = Close()
  Customer(const Customer&) = delete;
  Customer& operator=(const Customer&) = delete;

  int app_id() const override;
  int customer_id() const override;
  Customer* customer() override { return this; }

  // Starts delivery. Once; the owner's last act of construction.
  void Open();
  // Ends delivery and fails what is in flight with kCancelled. Their callbacks run before it returns, and
  // none after it. Idempotent; may be called from a handle or callback of this very customer.
  void Close();

  // Begins a request to a node or group and returns its timestamp: 0, 1, 2, ... Throws Error when `recver`
  // names nobody.
  int NewRequest(int recver);
  // Returns when the request is done, at once if it was done before; throws Error when it failed, when
  // `timestamp` was never given out, and in a handle or callback of this customer, where waiting could never
  // end.
  void WaitRequest(int timestamp);
  // The same with the outcome as a value; kDeadlineExceeded when it is not done within `timeout`, which does
  // not end the request.
  Status WaitFor(int timestamp, std::chrono::milliseconds timeout);
  // Answers so far. Throws Error for a timestamp that is unknown or was done more than about a thousand
  // requests ago.
  int NumResponse(int timestamp);
  // Credits answers that will not come, for example of nodes a request was not sent to.
  void AddResponse(int timestamp, int num = 1);
  // Puts a message into the queue as if it had been received.
  void Accept(const Message& received);

  // For the runtime: the parts behind this facade (src/app/customer_core.h).
  CustomerCore& core() { return *core_; }

 private:
  bool Borrows(const Meta& meta) const override;
  void Deliver(Message&& message) override;
  void DeliverAll(Message* first, std::size_t count) override;
  void DeliverAnswers(const BareAnswer* first, std::size_t count) override;
  void OnUndelivered(const Meta& meta, const Status& why) override;
  void OnNodeGone(int node_id, uint64_t incarnation, const Status& why) override;
  void OnClose(const Status& why) override;
  int64_t OnTimer(int64_t now_ms) override;
  void OnMoved(Postoffice* to) override;
  int ReservedTimestamps() override;
  void BeginTimestampsAt(int first) override;
  void WaitIdle() override;

  // Shared with the thread, so that a Customer can be destroyed by one of its own callbacks.
  const std::shared_ptr<CustomerCore> core_;
};

}  // namespace ps

#endif  // PS_CUSTOMER_H_

#ifndef PS_APP_CUSTOMER_CORE_H_
#define PS_APP_CUSTOMER_CORE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/asked.h"
#include "app/borrowing.h"
#include "app/customer_work.h"
#include "app/held_requests.h"
#include "app/request_tracker.h"
#include "base/bell.h"
#include "base/mutex.h"
#include "base/priority_queue.h"
#include "base/receive_token.h"
#include "base/thread.h"
#include "ps/config.h"
#include "ps/message.h"
#include "ps/postoffice.h"
#include "ps/status.h"

namespace ps {

class LegacyProcess;
class Mailbox;
class Van;

// The threaded shell of a Customer: its queue, its thread, its tracker. All user code (handles, callbacks)
// runs on that thread, one at a time, without a lock held and with the node bound to it. A request without
// user code is answered, and ends, on the receiving thread: no thread is woken but the one that waits for it.
// An end and an answer never meet: a request is not done while an answer of it is taken. Held by shared_ptr:
// the thread keeps it alive when a callback destroys the Customer.
//
// Lock order: LegacyProcess, then mutex_. No lock is held while the Postoffice is called.
class CustomerCore : public std::enable_shared_from_this<CustomerCore> {
 public:
  using Handle = std::function<void(const Message&)>;

  // `postoffice` null: see Customer.
  CustomerCore(Mailbox* mailbox, int app_id, int customer_id, Handle handle, Postoffice* postoffice);

  // The one whose user code the calling thread runs; null elsewhere.
  static CustomerCore* Current();

  int Issue(RequestTracker::Request request);
  // Sends one message of a request that was issued; a failure to send fails the request.
  void SendRequest(Message&& message);
  // Answers `request`. An answer that is too large turns into an error; none is sent when an end is gone.
  void SendResponse(const Asked& request, Message&& message);
  void SendResponse(const Meta& request, Message&& message) {
    SendResponse(Asked::By(request), std::move(message));
  }
  void SendError(const Asked& request, const Status& why);
  void SendError(const Meta& request, const Status& why) { SendError(Asked::By(request), why); }
  // For a handle: this request has to wait for a better one.
  void Hold(const Message& request);
  void ReleaseHeld(HeldRequests::Lane lane);
  // Its handle for data may be run by the thread that receives (kInline).
  void set_inline(bool is_inline) { is_inline_.store(is_inline); }

  int app_id() const { return app_id_; }
  int customer_id() const { return customer_id_; }
  Postoffice* postoffice() const { return postoffice_.load(std::memory_order_acquire); }
  // What of the node's configuration requests need.
  struct Settings {
    int64_t barrier_timeout_ms = 0;
    int64_t request_timeout_ms = 0;
    KeyPartition key_partition = KeyPartition::kRange;
  };
  Settings settings();
  // `app 0, customer 1 of worker 0 (id 9)`.
  std::string Describe() const;

  Borrowing borrowing;

 private:
  friend class Customer;  // the facade: everything down to OnMoved is for it

  Status Open();
  void Close();
  Status WaitUntil(int timestamp, int64_t deadline_ms);
  // Nothing while it is not finished.
  std::optional<Status> OutcomeOf(int timestamp);
  void HelpUntilFinished(int timestamp, int64_t deadline_ms);
  int IssueNow(RequestTracker::Request&& request) PS_REQUIRES(mutex_);
  void WaitIdle();
  Result<int> NumAnswers(int timestamp);
  Status Credit(int timestamp, int num);
  // Events, from threads of the runtime.
  // Messages that came right after each other: all of them requests, or all of them answers.
  void Push(Message* first, std::size_t count, bool returns_credit);
  void PushAnswers(const BareAnswer* next, std::size_t count);
  void OnUndelivered(const Meta& meta, const Status& why);
  void OnNodeGone(int node, uint64_t incarnation, const Status& why);
  void OnClose(const Status& why);
  void OnMoved(Postoffice* to);
  int ReservedTimestamps();
  void BeginTimestampsAt(int first);

  static Postoffice::SentFrom From();
  void Run();
  void FinishAll();
  // `*work` is empty before.
  void NextWork(CustomerWork* work);
  bool HelpUntilWork(int64_t until_ms);
  bool HasWork() const PS_REQUIRES(mutex_);
  // Something to do for the thread.
  void RouseThread() PS_REQUIRES(mutex_) {
    work_.NotifyOne();
    if (is_thread_helping_) thread_bell_.Ring();
  }
  void TakeWork(int64_t now_ms, CustomerWork* work) PS_REQUIRES(mutex_);
  void ApplyLosses() PS_REQUIRES(mutex_);
  void Perform(const CustomerWork& work);
  void Finish(const RequestTracker::Done& done);
  // Those who wait for requests.
  void TellFinished() PS_REQUIRES(mutex_);
  void HandleIncoming(const IncomingMessage& incoming, bool must_wait);
  void RunRequestHandle(const Message& request);
  Status RunAnswerHandle(const Message& answer, RequestSink* sink);
  void HandleAnswer(const Message& answer);
  // Of the receiving thread (customer_delivery.cc).
  void PushSome(PushedMessages* pushed);
  void Enqueue(PushedMessages* pushed);
  // Runs the handle now, if it is one for that.
  void HandleInline(PushedMessages* pushed);
  bool BeginInline();
  void EndInline();
  // Answers of requests that need no user code are taken; those that say nothing are counted.
  bool TakeDirectly(const Message& answer);
  std::size_t CountAnswers(const BareAnswer* first, const BareAnswer* end);
  void AnswerExpired(const Meta& request);
  void FailOverdue(const std::vector<RequestTracker::Overdue>& overdue);
  bool IsExtra(const Meta& meta) PS_REQUIRES(mutex_);
  void ReportExtra(const Meta& meta);
  void ReportUnobserved();
  void RefuseQueued();
  void Decide();
  Status CheckOpen();
  bool Idle() const PS_REQUIRES(mutex_);

  static thread_local CustomerCore* current_;

  const int app_id_;
  const int customer_id_;
  const Handle handle_;
  Mailbox* const mailbox_;

  mutable Mutex mutex_;
  CondVar work_;                                              // for the thread
  CondVar finished_;                                          // for those who wait for a request
  CondVar idle_;                                              // for those who wait for the end of all
  std::atomic<Postoffice*> postoffice_;                       // written under mutex_
  LegacyProcess* undecided_ PS_GUARDED_BY(mutex_) = nullptr;  // where to say that this node is final
  RequestTracker tracker_ PS_GUARDED_BY(mutex_);
  uint64_t num_issued_ PS_GUARDED_BY(mutex_) = 0;  // by tracker_
  HeldRequests held_ PS_GUARDED_BY(mutex_);
  PriorityQueue<IncomingMessage> queue_ PS_GUARDED_BY(mutex_);
  std::map<uint64_t, int> queued_answers_
      PS_GUARDED_BY(mutex_);  // in queue_ or at the handle, by incarnation
  std::vector<NodeLoss> losses_ PS_GUARDED_BY(mutex_);
  int next_timestamp_ PS_GUARDED_BY(mutex_) = 0;
  bool attached_ PS_GUARDED_BY(mutex_) = false;
  bool leaving_ PS_GUARDED_BY(mutex_) = false;  // Close has begun: no new requests
  bool closing_ PS_GUARDED_BY(mutex_) =
      false;  // everything has failed: the thread runs the callbacks and ends
  bool node_closed_ PS_GUARDED_BY(mutex_) = false;  // since OnClose
  bool busy_ PS_GUARDED_BY(mutex_) = false;         // user code runs on the thread
  bool inline_busy_ PS_GUARDED_BY(mutex_) = false;  // ... on another one; the thread waits for its end
  std::atomic<bool> is_inline_{false};
  bool default_commands_ PS_GUARDED_BY(mutex_) = false;  // a command waited in vain: later ones do not wait
  bool extra_reported_ PS_GUARDED_BY(mutex_) = false;
  int64_t alarm_ms_ PS_GUARDED_BY(mutex_) =
      INT64_MAX;  // when the thread looks at deadlines again, at the latest
  Settings settings_ PS_GUARDED_BY(mutex_);
  const Van* settings_of_ PS_GUARDED_BY(mutex_) = nullptr;        // they change with the Van
  std::shared_ptr<Dependents> dependents_ PS_GUARDED_BY(mutex_);  // like settings_
  int num_called_back_ PS_GUARDED_BY(mutex_) = 0;  // open requests whose end is told to user code
  std::optional<DependsOnFrames> callbacks_depend_ PS_GUARDED_BY(mutex_);  // while there are such
  int num_waiting_ PS_GUARDED_BY(mutex_) = 0;
  int num_waiting_idle_ PS_GUARDED_BY(mutex_) = 0;
  bool is_thread_helping_ PS_GUARDED_BY(mutex_) = false;
  std::atomic<int> helping_callers_{0};
  Bell callers_bell_;  // of the caller in Wait that receives; rung when a request is finished
  Bell thread_bell_;
  std::unique_ptr<Thread> thread_;  // set by Open, joined by Close
};

}  // namespace ps
#endif  // PS_APP_CUSTOMER_CORE_H_

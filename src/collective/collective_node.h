#ifndef PS_COLLECTIVE_COLLECTIVE_NODE_H_
#define PS_COLLECTIVE_COLLECTIVE_NODE_H_

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/bell.h"
#include "base/mutex.h"
#include "base/receive_token.h"
#include "base/thread.h"
#include "collective/open_operation.h"
#include "collective/operation_table.h"
#include "postoffice/router.h"
#include "ps/config.h"
#include "ps/mailbox.h"

namespace ps {

class Postoffice;

// The threaded shell around a worker's OperationTable: its mailbox, and who does the work. What happens is
// put down as events; whoever needs something to happen carries them out, one thread at a time: a caller that
// waits for an operation, which also receives (src/README.md, The receive token), or, while nobody waits,
// `ps-coll`, which there is from the first operation with a ticket on. Receiving threads only put down.
//
// Lock order: table_mutex_ (held while events are carried out and their messages are sent; there is one
// driver at a time, so only who asks how far an operation is waits for it), then mutex_, then an operation's
// own. Requests are sent as inline handles send: queued where there is no room; the windows of operations
// bound them. They are not kept for who takes a lost receiver's place: it knows nothing of them.
class CollectiveNode : public Mailbox,
                       public std::enable_shared_from_this<CollectiveNode>,
                       private CollectiveSink {
 public:
  // `postoffice` is a worker's, and has been started. Throws Error.
  explicit CollectiveNode(Postoffice* postoffice);
  ~CollectiveNode() override;

  // Once, before all else: messages come from then on. Throws Error where the node has one.
  void Open();
  // Ends what is under way, on all ranks, and the thread. Others are told so from then on.
  // Every call returns when that is done, but for one on that thread, which waits for nobody.
  void Close();
  // The same, and messages come no more: before the Postoffice goes. Idempotent.
  void Leave();

  GroupMembers group() const;
  struct Call {
    std::uint64_t group = 0;  // for which the rest was made: its tag
    std::string name;         // empty: by order
    Signature signature;
    Algorithm algorithm = Algorithm::kRollCall;
    Operation::Arrays arrays;
    std::function<Status()> finish;  // after success, before it is done; by whoever drives
  };
  // Throws Error: closed, not in a cluster, the name is under way. `is_async`: nobody may wait for it.
  std::shared_ptr<OpenOperation> Begin(Call&& call, bool is_async);
  // The outcome; kDeadlineExceeded at `deadline_ms`, which ends only the wait; kFailedPrecondition where
  // waiting would never end.
  Status Wait(OpenOperation* operation, std::int64_t deadline_ms);
  // Of what is under way by names that begin so: whoever finalizes the node does not wait for it.
  void LetGo(const std::string& names);
  // Runs `code` soon on the thread; false: there is none any more.
  bool Post(std::function<void()> code);

 private:
  using Event = std::function<void(OperationTable*)>;

  // Mailbox.
  bool Borrows(const Meta&) const override { return true; }
  int app_id() const override { return kCollectiveApp; }
  int customer_id() const override { return kCollectiveApp; }
  void Deliver(Message&& message) override;
  void OnUndelivered(const Meta& meta, const Status& why) override;
  void OnNodeGone(int node_id, uint64_t incarnation, const Status& why) override;
  void OnOwnLoss(const Status& why) override;
  void OnRoster() override;
  void OnClose(const Status& why) override;
  int64_t OnTimer(int64_t now_ms) override;
  void WaitIdle() override;
  void OnMoved(Postoffice*) override {}

  Status CheckMayCall(bool waits) const;
  void CheckMayBegin(const std::string& name) const PS_REQUIRES(mutex_);
  // All of it, or nothing where it throws.
  void Enter(const std::shared_ptr<OpenOperation>& operation, OperationTable::Wish&& wish);
  Status NotInTime(const OpenOperation* operation, std::int64_t waited_ms);
  Status Closed() const;
  void SeeWhoIsThere() PS_REQUIRES(mutex_);
  void StartThread() PS_REQUIRES(mutex_);
  void Run();
  void PutDown(Event event);
  void Rouse() PS_REQUIRES(mutex_);
  // Carries out what is put down now; false: nothing is, or another thread drives. Who stops while there may
  // be more hands over.
  bool DriveTurn();
  void Drive();
  void DriveIfNobodyElse();
  void HandOver();
  bool TakeTurn(std::deque<Event>* events);
  void EndTurn();
  // What is to follow an operation, on the thread; where there is none any more, by who drives, after its
  // turn.
  void Follow(std::function<void()> code);
  void RunGuarded(const std::function<void()>& code);
  void CarryOut(const Event& event) PS_REQUIRES(table_mutex_);
  // CollectiveSink, called by who drives.
  void Send(Packed&& packed) override;
  void Answer(const Asked& asked, const Status& outcome) override { SendAnswer(asked, outcome); }
  void End(int token, const Status& outcome) override;
  void SendAnswer(const Asked& asked, const Status& outcome);
  void JoinThread();
  bool IsThread() const;  // the calling one is ps-coll
  bool is_closing() const {
    MutexLock lock(mutex_);
    return is_closing_;
  }
  void OnRequest(OperationTable* table, Message&& message);
  // Not before what its own Close has ended is carried out.
  bool MayQuit() const PS_REQUIRES(mutex_) { return may_quit_ && open_.empty(); }
  bool HasNews() const PS_REQUIRES(mutex_) { return !events_.empty() && !is_driving_; }

  // What somebody waits for, under mutex_.
  using IsDone = std::function<bool()>;
  // Receives and drives until `is_done`, or the deadline.
  void AwaitAsCaller(const IsDone& is_done, std::int64_t deadline_ms);
  void AwaitAsThread();
  bool Help(Bell* bell, ReceiveToken::Rank rank, std::int64_t deadline_ms, const std::function<bool()>& ends);

  Postoffice* const postoffice_;
  const bool shrinks_;  // PS_ON_NODE_LOST=shrink

  mutable Mutex table_mutex_;
  OperationTable table_ PS_GUARDED_BY(table_mutex_);

  mutable Mutex mutex_;
  CondVar news_;  // for callers that sleep
  CondVar work_;  // for the thread
  CondVar idle_;  // no operation is open, or nobody drives
  std::deque<Event> events_ PS_GUARDED_BY(mutex_);
  bool is_driving_ PS_GUARDED_BY(mutex_) = false;
  std::map<int, std::shared_ptr<OpenOperation>> open_ PS_GUARDED_BY(mutex_);  // by token
  std::set<std::string> names_ PS_GUARDED_BY(mutex_);                         // of those under way
  GroupMembers group_ PS_GUARDED_BY(mutex_);
  std::set<std::uint64_t> lost_ PS_GUARDED_BY(mutex_);  // incarnations
  std::deque<std::function<void()>> posted_ PS_GUARDED_BY(mutex_);
  std::deque<std::function<void()>> following_ PS_GUARDED_BY(mutex_);  // for who drives
  int last_token_ PS_GUARDED_BY(mutex_) = 0;
  int num_callers_ PS_GUARDED_BY(mutex_) = 0;  // that wait, and drive
  int num_async_ PS_GUARDED_BY(mutex_) = 0;    // open operations that nobody may wait for
  bool is_attached_ PS_GUARDED_BY(mutex_) = false;
  bool has_ended_ PS_GUARDED_BY(mutex_) = false;  // the node has
  bool is_lost_ PS_GUARDED_BY(mutex_) = false;    // it was declared lost itself
  bool is_closing_ PS_GUARDED_BY(mutex_) = false;
  bool may_quit_ PS_GUARDED_BY(mutex_) = false;  // the thread, when nothing is posted
  std::atomic<int> helping_callers_{0};
  std::atomic<std::int64_t> next_ms_;   // when time matters to the table
  std::atomic<std::int64_t> alarm_ms_;  // for which OnTimer was asked
  Bell callers_bell_;
  Bell thread_bell_;
  std::unique_ptr<Thread> thread_ PS_GUARDED_BY(mutex_);  // joined by Close
  bool is_joining_ PS_GUARDED_BY(mutex_) = false;
};

}  // namespace ps

#endif  // PS_COLLECTIVE_COLLECTIVE_NODE_H_

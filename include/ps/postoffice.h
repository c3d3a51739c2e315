#ifndef PS_POSTOFFICE_H_
#define PS_POSTOFFICE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ps/config.h"
#include "ps/mailbox.h"
#include "ps/range.h"
#include "ps/status.h"
#include "ps/van.h"

namespace ps {

class Dependents;
class Environment;
struct HelpWish;

// One node of a cluster: its role, the ids and key ranges of the others, its customers, and its Van. An
// ordinary object; any number of nodes, of one cluster or of several, may live in a process. Thread-safe.
//
// Programs of one node per process use `Postoffice::Get()` and the free functions of ps.h instead of making
// one.
class Postoffice {
 public:
  using Callback = std::function<void()>;

  // No I/O. `config` is checked by Start. Each Start makes a new Van by `van_factory`.
  explicit Postoffice(Config config, VanFactory van_factory = DefaultVan);
  // A node whose Config is read from `environment` at every Start, and live by the role queries before it.
  // Borrows `environment`.
  explicit Postoffice(Environment* environment, VanFactory van_factory = DefaultVan);
  ~Postoffice();  // = Close()
  Postoffice(const Postoffice&) = delete;
  Postoffice& operator=(const Postoffice&) = delete;

  // The node bound to this thread (ScopedPostoffice, threads of the runtime), else the default one of the
  // process. For programs; the library never calls it.
  static Postoffice* Get();

  // Null before the first Start, non-null from then on. Owned by the Postoffice; replaced by the next Start.
  Van* van();

  // Joins the cluster: returns when this node has its id and the roster, and with `do_barrier` when all nodes
  // have. `customer_id` must be this node's (the first one started). Throws ps::Error: configuration,
  // deadline PS_START_TIMEOUT naming who is missing, refusal by the scheduler.
  void Start(int customer_id, const char* argv0, const bool do_barrier);
  Status TryStart(int customer_id, const char* argv0, bool do_barrier);

  // Leaves the cluster: waits for this node's outstanding requests, passes a barrier of all nodes with
  // `do_barrier`, tells the others, stops, runs the exit callbacks (reverse order, this thread). May be
  // followed by another Start.
  void Finalize(const int customer_id, const bool do_barrier = true);
  Status TryFinalize(int customer_id, bool do_barrier);
  // Ends for good without asking anybody: pending work (a Start, too) fails with kCancelled, peers are told.
  // Idempotent. Runs no exit callback.
  void Close();

  void AddCustomer(Mailbox* customer);     // = Attach, throws
  void RemoveCustomer(Mailbox* customer);  // = Detach
  // The customer, waiting up to `timeout` seconds for it to be built; null when there is none in time.
  Customer* GetCustomer(int app_id, int customer_id, int timeout = 0) const;

  // A group: workers by rank, then servers by rank, then the scheduler. A node id: itself. Else throws
  // ps::Error naming the id.
  const std::vector<int>& GetNodeIDs(int node_id) const;
  // One range per server, in order of rank; together all keys, the last one contains kMaxKey.
  const std::vector<Range>& GetServerKeyRanges();
  // Runs once at the end of this node's Finalize.
  void RegisterExitCallback(const Callback& callback);

  static int WorkerRankToID(int rank);
  static int ServerRankToID(int rank);
  static int IDtoRank(int id);

  int num_workers() const;
  int num_servers() const;
  int my_rank() const;  // throws ps::Error before Start
  bool is_worker() const;
  bool is_server() const;
  bool is_scheduler() const;
  int verbose() const;
  bool is_recovery() const;

  // Waits for all living members of `node_group`. The caller's role must be in it. Throws ps::Error;
  // deadline PS_BARRIER_TIMEOUT.
  void Barrier(int customer_id, int node_group);
  Status TryBarrier(int customer_id, int node_group, int64_t timeout_ms = -1);
  // Ids not heard from for `t` seconds; empty for t = 0, before Start and with heartbeats off.
  std::vector<int> GetDeadNodes(int t = 60);

  // For the layers above (src/app); programs have no use for these.

  // Starts delivery to `mailbox` (what was parked for it first). kAlreadyExists if its (app, customer) is
  // taken.
  Status Attach(Mailbox* mailbox);
  // Ends delivery; when it returns no call into `mailbox` is running and nothing refers to memory its
  // requests lent. Not to be called from inside such a call.
  void Detach(Mailbox* mailbox);
  // Sends a request or response of a customer. From a handler or callback it waits for room at most
  // PS_RESEND_TIMEOUT, from an inline handle not at all. kForThisLife: as from an inline handle; where the
  // receiver is lost and another process takes its place (PS_ON_NODE_LOST=wait), a request is dropped.
  enum class SentFrom { kCaller, kHandler, kInlineHandle, kForThisLife };
  Status Send(Message&& message, SentFrom from);
  // A request of this customer ends although not everybody has answered it: afterwards nothing refers to
  // memory it lent, and nobody is sent it again.
  void GiveUp(int app_id, int customer_id, int timestamp);
  // A handler takes this request: its room on the route is free again. Exactly once per request delivered.
  void ReturnCredit(const Meta& request);
  // A thread that waits for what a message brings receives itself meanwhile; false: it has to sleep.
  // `Dependents`: see src/base/receive_token.h; null where nobody can help.
  bool Help(const HelpWish& wish);
  std::shared_ptr<Dependents> dependents() const;
  // Asks for Mailbox::OnTimer at `at_ms`.
  void WakeAt(int64_t at_ms);
  // The configuration in force; defaults before Start. A copy.
  Config config() const;
  // The nodes of a role, by rank, as the scheduler has told last: a lost one until another process takes its
  // place, or, with `shrink`, not any more. None before Start.
  std::vector<Node> Members(Node::Role role) const;
  // What a lost node means in this job, as the scheduler has told; before Start as configured here.
  OnNodeLost on_node_lost() const;
  // What a layer above has for this node: made by the first who asks for `name` (one at a time; it may
  // Attach), for all who do, and let go when the node ends, by the thread that ends it. Null once it has
  // ended.
  std::shared_ptr<void> Attachment(const std::string& name,
                                   const std::function<std::shared_ptr<void>()>& make);
  // `worker 1 (id 11, 10.0.0.5:4711)` as far as known.
  std::string Describe(int node_id) const;

 private:
  friend class LegacyProcess;
  friend class ScopedPostoffice;
  class Impl;
  std::unique_ptr<Impl> impl_;
};

// Binds a node to the current thread for the life of this object: `Postoffice::Get()` and the free functions
// of ps.h then mean it. Nests.
class ScopedPostoffice {
 public:
  explicit ScopedPostoffice(Postoffice* postoffice);
  ~ScopedPostoffice();
  ScopedPostoffice(const ScopedPostoffice&) = delete;
  ScopedPostoffice& operator=(const ScopedPostoffice&) = delete;

 private:
  Postoffice* const previous_;
  const int previous_verbosity_;
};

}  // namespace ps
#endif  // PS_POSTOFFICE_H_

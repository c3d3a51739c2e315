// ServedCluster: a cluster in this process whose servers and scheduler serve.
#ifndef PS_C_API_SERVED_CLUSTER_H_
#define PS_C_API_SERVED_CLUSTER_H_

#include <atomic>
#include <functional>
#include <memory>

#include "base/mutex.h"
#include "base/thread.h"
#include "ps/local_cluster.h"
#include "ps/run_server.h"
#include "ps/status.h"

namespace ps::c_api {

// Its nodes are there as long as it is, ended or not, so that who holds one can be told that it has ended.
// Thread-safe.
class ServedCluster : public std::enable_shared_from_this<ServedCluster> {
 public:
  explicit ServedCluster(const LocalClusterOptions& options, KVController controller);
  ~ServedCluster();
  ServedCluster(const ServedCluster&) = delete;
  ServedCluster& operator=(const ServedCluster&) = delete;

  // Returns when all nodes have their place. Once. Throws Error.
  void Start();
  // Finalizes the workers that still take part, with the barrier over all; the servers end with them. Once:
  // kFailedPrecondition afterwards.
  Status Finalize();
  // Ends all nodes at once. Idempotent.
  void Close();

  bool is_closed() const { return is_closed_.load(); }
  // Throws Error(kFailedPrecondition) on a thread of one of its nodes, that runs a callback: the end would
  // wait for that.
  void CheckMayEnd();
  int num_workers() const { return num_workers_; }
  Postoffice& worker(int rank) { return cluster_.worker(rank); }
  // The cluster of a node; null where it is none's, or is going.
  static Result<std::shared_ptr<ServedCluster>> Of(Postoffice* node);

 private:
  enum class Phase { kStarting, kRunning, kFinalizing, kEnded };

  // What a node does; on a thread of its own.
  void Live(Postoffice& node);
  void Work(Postoffice& worker);
  void BeginTheEnd() PS_EXCLUDES(mutex_);
  Status WaitForTheEnd() PS_EXCLUDES(mutex_);

  LocalCluster cluster_;
  const KVController controller_;
  const int num_workers_;
  std::atomic<bool> is_closed_{false};
  Mutex mutex_;
  CondVar changed_;
  Phase phase_ PS_GUARDED_BY(mutex_) = Phase::kStarting;
  int started_ PS_GUARDED_BY(mutex_) = 0;  // workers
  Status outcome_ PS_GUARDED_BY(mutex_);   // of the nodes' lives
  std::unique_ptr<Thread> host_;           // last: it uses the others
};

}  // namespace ps::c_api

#endif  // PS_C_API_SERVED_CLUSTER_H_

// A LocalCluster whose servers count and whose workers push ones, for tests of what links may do to them.
#ifndef PS_TESTS_SUPPORT_INCREMENT_CLUSTER_H_
#define PS_TESTS_SUPPORT_INCREMENT_CLUSTER_H_

#include <algorithm>
#include <memory>
#include <vector>

#include "base/thread.h"
#include "ps/local_cluster.h"
#include "tests/support/increments.h"

namespace ps {

class IncrementCluster {
 public:
  explicit IncrementCluster(const LocalClusterOptions& options) : cluster_(options) {}

  Status Start() {
    PS_RETURN_IF_ERROR(cluster_.Start());
    for (Postoffice* node : cluster_.nodes()) {
      if (node->is_server()) servers_.push_back(std::make_unique<IncrementServer>(node));
      if (node->is_worker()) workers_.push_back(std::make_unique<KVWorker<double>>(node, 0, 0));
    }
    return Status::Ok();
  }
  Status Finalize() {
    workers_.clear();
    const Status finalized = cluster_.Finalize();
    servers_.clear();
    return finalized;
  }

  // `count` pushes by all workers together, each to one server, with at most `window` open per worker. Pushes
  // per second.
  double Push(int count, size_t window) {
    std::vector<double> seconds(workers_.size());
    {
      std::vector<std::unique_ptr<Thread>> threads;
      for (size_t rank = 0; rank < workers_.size(); ++rank) {
        threads.push_back(std::make_unique<Thread>("worker", [this, rank, count, window, &seconds] {
          const int own = count / static_cast<int>(workers_.size());
          seconds[rank] = PushOnes(workers_[rank].get(), {KeyOf(rank % servers_.size())}, own, window);
        }));
      }
    }
    return count / *std::max_element(seconds.begin(), seconds.end());
  }

  // What the servers hold; equal to num_pushes() when every push was applied once.
  double Sum() {
    std::vector<Key> keys;
    for (size_t rank = 0; rank < servers_.size(); ++rank) keys.push_back(KeyOf(rank));
    double sum = 0;
    for (const double value : PullAll(workers_[0].get(), keys)) sum += value;
    return sum;
  }
  uint64_t num_pushes() {
    uint64_t pushes = 0;
    for (const auto& server : servers_) pushes += server->num_pushes();
    return pushes;
  }
  uint64_t num_repeated() {
    uint64_t repeated = 0;
    for (const auto& server : servers_) repeated += server->num_repeated();
    return repeated;
  }
  // Of all nodes together.
  uint64_t Count(Counter counter) {
    uint64_t count = 0;
    for (Postoffice* node : cluster_.nodes()) count += CountOf(*node, counter);
    return count;
  }
  KVWorker<double>& worker(size_t rank) { return *workers_.at(rank); }

 private:
  Key KeyOf(size_t rank) { return kMaxKey / servers_.size() * rank; }

  LocalCluster cluster_;
  std::vector<std::unique_ptr<IncrementServer>> servers_;
  std::vector<std::unique_ptr<KVWorker<double>>> workers_;
};

}  // namespace ps
#endif  // PS_TESTS_SUPPORT_INCREMENT_CLUSTER_H_

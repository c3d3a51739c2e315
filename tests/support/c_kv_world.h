// The workers of a KVStore by the C interface, in this process: alone, or a cluster with its servers.
#ifndef PS_TESTS_SUPPORT_C_KV_WORLD_H_
#define PS_TESTS_SUPPORT_C_KV_WORLD_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ps/c_api.h"
#include "tests/support/c_calls.h"
#include "tests/support/each_worker.h"
#include "tests/support/watchdog.h"

namespace ps {

// A cluster whose workers are nodes; they are there as long as it is.
class CCluster {
 public:
  CCluster(int servers, int workers) {
    PSLocalClusterOptions options{};
    options.struct_size = sizeof options;
    options.servers = servers;
    options.workers = workers;
    Ok(PSLocalClusterCreate(&options, &cluster_));
    nodes_.resize(static_cast<std::size_t>(workers));
    for (int rank = 0; rank < workers; ++rank)
      Ok(PSLocalClusterWorker(cluster_, rank, &nodes_[static_cast<std::size_t>(rank)]));
  }
  ~CCluster() {
    for (PSNode node : nodes_) PSNodeFree(node);
    PSLocalClusterFree(cluster_);
  }
  CCluster(const CCluster&) = delete;
  CCluster& operator=(const CCluster&) = delete;

  PSNode worker(int rank) const { return nodes_[static_cast<std::size_t>(rank)]; }
  int num_workers() const { return static_cast<int>(nodes_.size()); }
  PSLocalCluster get() const { return cluster_; }

 private:
  PSLocalCluster cluster_ = nullptr;
  std::vector<PSNode> nodes_;
};

// One PSKVStore per worker; a type of one process has one worker.
class CKVWorld {
 public:
  CKVWorld(const std::string& type, int servers, int workers, PSKVStoreOptions options = {}) {
    options.struct_size = sizeof options;
    int is_distributed = 0;
    Ok(PSKVStoreIsDistributed(type.c_str(), &is_distributed));
    if (is_distributed != 0) cluster_ = std::make_unique<CCluster>(servers, workers);
    stores_.resize(is_distributed != 0 ? static_cast<std::size_t>(workers) : 1);
    for (std::size_t i = 0; i < stores_.size(); ++i) {
      options.node = is_distributed != 0 ? cluster_->worker(static_cast<int>(i)) : nullptr;
      Ok(PSKVStoreCreate(type.c_str(), &options, &stores_[i]));
    }
  }
  ~CKVWorld() {
    for (PSKVStore store : stores_) PSKVStoreFree(store);
  }
  CKVWorld(const CKVWorld&) = delete;
  CKVWorld& operator=(const CKVWorld&) = delete;

  PSKVStore operator[](int worker) const { return stores_[static_cast<std::size_t>(worker)]; }
  int num_workers() const { return static_cast<int>(stores_.size()); }
  CCluster* cluster() { return cluster_.get(); }  // null: one process
  // `body` on a thread per worker.
  void Run(const std::function<void(int worker, PSKVStore store)>& body) const {
    RunOnEachWorker(num_workers(), [&](int worker) { body(worker, (*this)[worker]); });
  }

 private:
  Watchdog watchdog_;
  std::unique_ptr<CCluster> cluster_;
  std::vector<PSKVStore> stores_;
};

}  // namespace ps

#endif  // PS_TESTS_SUPPORT_C_KV_WORLD_H_

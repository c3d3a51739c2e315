// The workers of a KVStore, in this process: alone, or a cluster with its servers.
#ifndef PS_TESTS_SUPPORT_KV_WORLD_H_
#define PS_TESTS_SUPPORT_KV_WORLD_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ps/kvstore.h"
#include "ps/local_cluster.h"
#include "ps/store_server.h"
#include "store/command_server.h"
#include "tests/support/each_worker.h"
#include "tests/support/watchdog.h"

namespace ps {

// One KVStore per worker. All may be used from one thread.
class KVWorld {
 public:
  // `options` of the stores; a type of one process has one worker.
  KVWorld(const std::string& type, int servers, int workers, const KVStoreOptions& options = {},
          const LocalClusterOptions& cluster = {}) {
    KVStoreOptions own = options;
    if (type.compare(0, 4, "dist") != 0) {
      stores_.push_back(KVStore::Create(type, own));
      return;
    }
    LocalClusterOptions wanted = cluster;
    wanted.servers = servers;
    wanted.workers = workers;
    cluster_ = std::make_unique<LocalCluster>(wanted);
    ThrowIfError(cluster_->Start());
    for (int i = 0; i < servers; ++i) {
      servers_.push_back(std::make_unique<StoreServer>(&cluster_->server(i)));
      commands_.push_back(std::make_unique<CommandServer>(&cluster_->server(i), nullptr));
    }
    for (int i = 0; i < workers; ++i) {
      own.node = &cluster_->worker(i);
      stores_.push_back(KVStore::Create(type, own));
    }
  }
  ~KVWorld() {
    stores_.clear();
    commands_.clear();
    servers_.clear();
    cluster_.reset();
  }

  KVStore& operator[](int worker) { return *stores_[static_cast<std::size_t>(worker)]; }
  int num_workers() const { return static_cast<int>(stores_.size()); }
  LocalCluster* cluster() { return cluster_.get(); }  // null: one process
  // Ends a worker's store.
  void Destroy(int worker) { stores_[static_cast<std::size_t>(worker)].reset(); }
  // `body` on a thread per worker.
  void Run(const std::function<void(int worker, KVStore& store)>& body) {
    RunOnEachWorker(num_workers(), [&](int worker) { body(worker, (*this)[worker]); });
  }

 private:
  Watchdog watchdog_;
  std::unique_ptr<LocalCluster> cluster_;
  std::vector<std::unique_ptr<StoreServer>> servers_;
  std::vector<std::unique_ptr<CommandServer>> commands_;
  std::vector<std::unique_ptr<KVStore>> stores_;
};

}  // namespace ps

#endif  // PS_TESTS_SUPPORT_KV_WORLD_H_

// The workers of a store, over each way there is from a client to its servers.
#ifndef PS_TESTS_SUPPORT_STORE_WORLD_H_
#define PS_TESTS_SUPPORT_STORE_WORLD_H_

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ps/local_cluster.h"
#include "ps/store.h"
#include "ps/store_server.h"
#include "ps/user_shard.h"
#include "tests/support/each_worker.h"
#include "tests/support/watchdog.h"

namespace ps {

enum class Way { kLoopback, kLoopbackThreads, kCluster, kClusterInline };

inline std::string NameOfWay(const testing::TestParamInfo<Way>& info) {
  switch (info.param) {
    case Way::kLoopback: return "Loopback";
    case Way::kLoopbackThreads: return "LoopbackThreads";
    case Way::kCluster: return "Cluster";
    case Way::kClusterInline: return "ClusterInline";
  }
  return "";
}

inline auto EveryWay() {
  return testing::Values(Way::kLoopback, Way::kLoopbackThreads, Way::kCluster, Way::kClusterInline);
}

// Servers and one Store per worker. All may be used from one thread.
class StoreWorld {
 public:
  StoreWorld(Way way, int servers, int workers, const Config& config = Config()) {
    if (way == Way::kLoopback || way == Way::kLoopbackThreads) {
      stores_ = Store::Local({servers, workers, way == Way::kLoopbackThreads ? 3 : 0});
      return;
    }
    LocalClusterOptions options;
    options.servers = servers;
    options.workers = workers;
    options.config = config;
    options.config.server_threads = way == Way::kCluster ? 2 : 0;
    cluster_ = std::make_unique<LocalCluster>(options);
    ThrowIfError(cluster_->Start());
    for (int i = 0; i < servers; ++i) servers_.push_back(std::make_unique<StoreServer>(&cluster_->server(i)));
    for (int i = 0; i < workers; ++i) stores_.push_back(std::make_unique<Store>(&cluster_->worker(i)));
  }
  ~StoreWorld() {
    stores_.clear();
    servers_.clear();
    cluster_.reset();
  }

  Store& operator[](int worker) { return *stores_[static_cast<std::size_t>(worker)]; }
  int num_workers() const { return static_cast<int>(stores_.size()); }
  LocalCluster* cluster() { return cluster_.get(); }  // null: loopback
  // Opens a table on every worker.
  std::vector<std::unique_ptr<StoreTable>> Create(const TableSpec& spec) {
    std::vector<std::unique_ptr<StoreTable>> tables;
    for (auto& store : stores_) tables.push_back(store->Create(spec));
    return tables;
  }
  // A program's own code, on all servers.
  void Register(const std::string& table, const std::string& code, const MakeUserShard& make) {
    if (servers_.empty()) return stores_.front()->user_shards().Register(table, code, make);
    for (auto& server : servers_) server->user_shards().Register(table, code, make);
  }
  StoreServer& server(int i) { return *servers_[static_cast<std::size_t>(i)]; }  // of a cluster
  // `body` on a thread per worker.
  void Run(const std::function<void(int worker, Store& store)>& body) {
    RunOnEachWorker(num_workers(), [&](int worker) { body(worker, (*this)[worker]); });
  }

 private:
  Watchdog watchdog_;
  std::unique_ptr<LocalCluster> cluster_;
  std::vector<std::unique_ptr<StoreServer>> servers_;
  std::vector<std::unique_ptr<Store>> stores_;
};

inline TableSpec DenseSpec(const std::string& name, std::int64_t rows, std::int64_t width = 1) {
  TableSpec spec;
  spec.name = name;
  spec.rows = rows;
  spec.width = width;
  spec.min_split = 0;
  return spec;
}

}  // namespace ps

#endif  // PS_TESTS_SUPPORT_STORE_WORLD_H_

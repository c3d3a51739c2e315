// A cluster with KVServers and one KVWorker, for the tests of both.
#ifndef PS_TESTS_APP_KV_APP_FIXTURE_H_
#define PS_TESTS_APP_KV_APP_FIXTURE_H_

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "ps/kv_app.h"
#include "ps/local_cluster.h"
#include "tests/support/watchdog.h"

namespace ps {

// Servers with the default handle and one worker.
class KVAppFixture : public testing::Test {
 protected:
  void StartCluster(int servers, const Config& config = Config()) {
    LocalClusterOptions options;
    options.servers = servers;
    options.workers = 1;
    options.config = config;
    cluster_ = std::make_unique<LocalCluster>(options);
    ThrowIfError(cluster_->Start());
    worker_ = std::make_unique<KVWorker<float>>(&cluster_->worker(0), 0, 0);
    for (int rank = 0; rank < servers; ++rank) {
      servers_.push_back(std::make_unique<KVServer<float>>(&cluster_->server(rank), 0));
    }
  }
  void StartDefaultServers(int servers, const Config& config = Config()) {
    StartCluster(servers, config);
    for (auto& server : servers_) server->set_request_handle(KVServerDefaultHandle<float>());
  }
  void TearDown() override {
    worker_.reset();
    servers_.clear();
    cluster_.reset();
  }

  void Push(std::vector<Key> keys, std::vector<float> vals, std::vector<int> lens = {}) {
    worker_->Wait(worker_->Push(keys, vals, lens));
  }

  Watchdog watchdog_;
  std::unique_ptr<LocalCluster> cluster_;
  std::vector<std::unique_ptr<KVServer<float>>> servers_;
  std::unique_ptr<KVWorker<float>> worker_;
};

}  // namespace ps

#endif  // PS_TESTS_APP_KV_APP_FIXTURE_H_

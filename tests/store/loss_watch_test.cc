#include "store/loss_watch.h"

#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <string>

#include "ps/local_cluster.h"
#include "ps/postoffice.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

TEST(LossWatchTest, HearsWhoIsLost) {
  Watchdog watchdog;
  LocalClusterOptions options;
  options.servers = 1;
  options.workers = 2;
  options.config.heartbeat_interval_ms = 20;
  options.config.heartbeat_timeout_ms = 200;
  LocalCluster cluster(options);
  ThrowIfError(cluster.Start());
  std::promise<int> lost;
  {
    LossWatch watch(&cluster.server(0), 77, [&](int node_id, const Status& why) {
      EXPECT_FALSE(why.ok());
      lost.set_value(node_id);
    });
    EXPECT_THROW(LossWatch(&cluster.server(0), 77, [](int, const Status&) {}), Error);
    cluster.worker(1).Close();
    EXPECT_EQ(lost.get_future().get(), Postoffice::WorkerRankToID(1));
  }
  LossWatch again(&cluster.server(0), 77, [](int, const Status&) {});
}

}  // namespace
}  // namespace ps

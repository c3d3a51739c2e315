// Requests of one priority are handled in the order they were issued, also by a slow server (B-11).
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <numeric>
#include <thread>

#include "ps/kv_app.h"
#include "ps/local_cluster.h"
#include "tests/support/memory.h"
#include "tests/support/socket_cluster.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

using std::chrono::seconds;

// The server's first handle blocks until half of the pushes are issued, so that queues grow on both sides.
template <typename Cluster>
void ExpectInOrder(Cluster* cluster) {
  Watchdog watchdog(seconds(30));
  ASSERT_TRUE(cluster->Start().ok());
  std::promise<void> issued;
  std::shared_future<void> half = issued.get_future().share();
  std::vector<int> applied;
  KVServer<int> server(&cluster->server(0), 0);
  server.set_request_handle([&, half](const KVMeta& meta, const KVPairs<int>& data, KVServer<int>* to) {
    half.wait();
    applied.push_back(data.vals[0]);
    to->Response(meta);
  });
  KVWorker<int> worker(&cluster->worker(0), 0, 0);
  std::vector<int> timestamps;
  for (int i = 0; i < 1000; ++i) {
    timestamps.push_back(worker.Push({1}, {i}));
    if (i == 500) issued.set_value();
  }
  for (int timestamp : timestamps) ASSERT_EQ(worker.WaitFor(timestamp, seconds(20)), Status::Ok());
  std::vector<int> expected(1000);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(applied, expected);
  EXPECT_TRUE(cluster->Finalize().ok());
}

TEST(Order, AThousandPushesToASlowServerInOneProcess) {
  LocalCluster cluster(1, 1);
  ExpectInOrder(&cluster);
}

TEST(Order, AThousandPushesToASlowServerOverSockets) {
  if (UnderThreadSanitizer()) GTEST_SKIP() << "libzmq is not instrumented";
  SocketCluster cluster(1, 1);
  ExpectInOrder(&cluster);
}

// A peer whose handler is stuck bounds what is sent to it, and holds up nobody else (B-33).
TEST(RegressB33, AFullRouteDoesNotHoldUpOthers) {
  Watchdog watchdog(seconds(30));
  LocalClusterOptions options;
  options.servers = 2;
  options.config.water_mark = 10;
  LocalCluster cluster(options);
  ASSERT_TRUE(cluster.Start().ok());
  std::promise<void> open;
  std::shared_future<void> opened = open.get_future().share();
  std::atomic<int> applied{0};
  KVServer<int> stuck(&cluster.server(0), 0);
  KVServer<int> lively(&cluster.server(1), 0);
  stuck.set_request_handle([&, opened](const KVMeta& meta, const KVPairs<int>&, KVServer<int>* to) {
    opened.wait();
    ++applied;
    to->Response(meta);
  });
  lively.set_request_handle(KVServerDefaultHandle<int>());
  KVWorker<int> worker(&cluster.worker(0), 0, 0);
  std::atomic<int> sent{0};
  std::thread pushing([&] {
    std::vector<int> timestamps;
    for (; sent < 100; ++sent) timestamps.push_back(worker.Push({1}, {1}));
    for (int timestamp : timestamps) worker.Wait(timestamp);
  });
  for (int i = 0; i < 200; ++i)
    EXPECT_EQ(worker.WaitFor(worker.Push({kMaxKey}, {1}), seconds(5)), Status::Ok());
  EXPECT_LT(sent.load(), 100);  // the other thread waits for room
  open.set_value();
  pushing.join();
  EXPECT_EQ(applied.load(), 100);
  EXPECT_TRUE(cluster.Finalize().ok());
}

}  // namespace
}  // namespace ps

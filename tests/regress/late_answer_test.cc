// A KVWorker that goes with a request open, and another that takes its ids: the late answer to the first
// one's request must not end the second one's.
#include <gtest/gtest.h>

#include <mutex>
#include <vector>

#include "ps/local_cluster.h"
#include "ps/ps.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

TEST(LateAnswerTest, DoesNotReachTheRequestOfALaterWorkerWithTheSameIds) {
  Watchdog watchdog(std::chrono::seconds(20));
  LocalCluster cluster(1, 1);
  ASSERT_TRUE(cluster.Start().ok());
  KVServer<int> server(&cluster.server(0), 0);
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<KVMeta> kept;
  server.set_request_handle([&](const KVMeta& meta, const KVPairs<int>&, KVServer<int>*) {
    std::lock_guard<std::mutex> lock(mutex);
    kept.push_back(meta);
    changed.notify_all();
  });
  const auto wait_for = [&](size_t count) {
    std::unique_lock<std::mutex> lock(mutex);
    changed.wait(lock, [&] { return kept.size() >= count; });
  };
  {
    KVWorker<int> first(&cluster.worker(0), 0, 0);
    EXPECT_EQ(first.Push({1}, {1}), 0);
    wait_for(1);
  }
  KVWorker<int> second(&cluster.worker(0), 0, 0);
  const int timestamp = second.Push({2}, {2});
  wait_for(2);
  server.Response(kept[0]);  // late: nobody waits for it
  EXPECT_EQ(second.WaitFor(timestamp, std::chrono::milliseconds(50)).code(), StatusCode::kDeadlineExceeded);
  server.Response(kept[1]);
  second.Wait(timestamp);
  EXPECT_TRUE(cluster.Finalize().ok());
}

}  // namespace
}  // namespace ps

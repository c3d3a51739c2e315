// Customers that come late, go early, or are many (B-13c, B-29, B-41, B-42, B-48).
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>
#include <thread>

#include "ps/kv_app.h"
#include "ps/local_cluster.h"
#include "ps/ps.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

using std::chrono::seconds;

TEST(RegressB13c, DestroyingAWorkerFailsWhatIsInFlight) {
  Watchdog watchdog(seconds(20));
  LocalCluster cluster(1, 1);
  ASSERT_TRUE(cluster.Start().ok());
  std::vector<KVMeta> kept;
  std::promise<void> taken;
  KVServer<int> server(&cluster.server(0), 0);
  server.set_request_handle([&](const KVMeta& meta, const KVPairs<int>&, KVServer<int>*) {
    kept.push_back(meta);
    taken.set_value();
  });
  Status seen;
  {
    KVWorker<int> worker(&cluster.worker(0), 0, 0);
    worker.Push({1}, {1}, {}, 0, [&] { seen = CallbackStatus(); });
    taken.get_future().wait();
  }
  EXPECT_EQ(seen.code(), StatusCode::kCancelled) << seen;
  server.Response(kept[0]);  // nobody waits for it any more: dropped without a word
  KVWorker<int> next(&cluster.worker(0), 0, 0);
  taken = std::promise<void>();
  const int pushed = next.Push({1}, {1});
  taken.get_future().wait();
  server.Response(kept[1]);
  EXPECT_EQ(next.WaitFor(pushed, seconds(10)), Status::Ok());
  EXPECT_TRUE(cluster.Finalize().ok());
}

TEST(RegressB41, TwoThreadsOfOneNodeCountOnceAndBothAreReleased) {
  Watchdog watchdog(seconds(20));
  LocalCluster cluster(1, 2);
  ASSERT_TRUE(cluster.Start().ok());
  std::atomic<int> released{0};
  const auto enter = [&](int rank) {
    cluster.worker(rank).Barrier(0, kWorkerGroup);
    ++released;
  };
  std::future<void> first = std::async(std::launch::async, enter, 0);
  std::future<void> second = std::async(std::launch::async, enter, 0);
  EXPECT_EQ(cluster.worker(0).TryBarrier(0, kServerGroup).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(released.load(), 0);  // worker 1 is not there
  enter(1);
  for (std::future<void>* thread : {&first, &second}) {
    // One that came so late that the round was over is alone in the next one.
    const bool is_alone = thread->wait_for(seconds(5)) == std::future_status::timeout;
    if (is_alone) (void)cluster.worker(1).TryBarrier(0, kWorkerGroup, 5000);
    thread->get();
  }
  EXPECT_EQ(released.load(), 3);
  EXPECT_TRUE(cluster.Finalize().ok());
}

TEST(RegressB42, ABarrierThatTakesTooLongNamesWhoIsMissing) {
  Watchdog watchdog(seconds(20));
  LocalCluster cluster(1, 3);
  ASSERT_TRUE(cluster.Start().ok());
  Status first;
  std::thread other([&] { first = cluster.worker(0).TryBarrier(0, kWorkerGroup, 300); });
  const Status second = cluster.worker(2).TryBarrier(0, kWorkerGroup, 300);
  other.join();
  for (const Status& outcome : {first, second}) {
    EXPECT_EQ(outcome.code(), StatusCode::kDeadlineExceeded) << outcome;
    EXPECT_NE(outcome.message().find("barrier of group 4: 2 of 3 arrived, missing worker 1 (id 11"),
              std::string::npos)
        << outcome;
  }
  // The group is usable afterwards, and so are others.
  std::thread again([&] { EXPECT_EQ(cluster.worker(0).TryBarrier(0, kWorkerGroup, 5000), Status::Ok()); });
  std::thread more([&] { EXPECT_EQ(cluster.worker(1).TryBarrier(0, kWorkerGroup, 5000), Status::Ok()); });
  EXPECT_EQ(cluster.worker(2).TryBarrier(0, kWorkerGroup, 5000), Status::Ok());
  again.join();
  more.join();
  EXPECT_TRUE(cluster.Finalize().ok());
}

TEST(RegressB48, ExitCallbacksRunOnceInReverseOrderAndAreForgotten) {
  Watchdog watchdog(seconds(20));
  LocalCluster cluster(1, 1);
  std::vector<int> order;
  std::thread::id thread;
  for (int round = 0; round < 2; ++round) {
    cluster.RunProgram([&](Postoffice& node) {
      Start(0);
      if (node.is_server() && round == 0) {
        for (int i = 0; i < 3; ++i) {
          RegisterExitCallback([&order, &thread, i] {
            order.push_back(i);
            thread = std::this_thread::get_id();
            EXPECT_TRUE(IsServer());
            EXPECT_EQ(NumWorkers(), 0);
          });
        }
      }
      Finalize(0);
      EXPECT_TRUE(!node.is_server() || round != 0 || thread == std::this_thread::get_id());
    });
  }
  EXPECT_EQ(order, (std::vector<int>{2, 1, 0}));
}

// What callbacks may do (B-29): free the memory of their request, issue more, end their KVWorker's requests.
TEST(RegressB29, ACallbackMayFreeMemoryAndIssueMore) {
  Watchdog watchdog(seconds(20));
  LocalCluster cluster(1, 1);
  ASSERT_TRUE(cluster.Start().ok());
  KVServer<int> server(&cluster.server(0), 0);
  server.set_request_handle(KVServerDefaultHandle<int>());
  KVWorker<int> worker(&cluster.worker(0), 0, 0);
  std::atomic<int> called{0};
  for (int i = 0; i < 100; ++i) {
    auto* vals = new SArray<int>(1000, 1);
    const int pushed = worker.ZPush(SArray<Key>{1}, *vals, {}, 0, [&, vals] {
      delete vals;
      ++called;
      worker.Push({2}, {1}, {}, 0, [&] { ++called; });
    });
    EXPECT_EQ(worker.WaitFor(pushed, seconds(10)), Status::Ok());
  }
  EXPECT_TRUE(cluster.Finalize().ok());
  EXPECT_EQ(called.load(), 200);
}

}  // namespace
}  // namespace ps

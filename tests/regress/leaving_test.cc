// What nodes that leave, handles that block and callbacks that delete must not break.
#include <gtest/gtest.h>

#include <memory>
#include <mutex>

#include "ps/local_cluster.h"
#include "ps/ps.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

TEST(LeavingTest, AnAnswerCountsAlsoWhenItsSenderIsGoneByTheTimeItIsHandled) {
  Watchdog watchdog(std::chrono::seconds(20));
  LocalCluster cluster(1, 1);
  ASSERT_TRUE(cluster.Start().ok());
  auto server = std::make_unique<SimpleApp>(&cluster.server(0), 0, 0);
  SimpleApp worker(&cluster.worker(0), 0, 0);
  std::mutex mutex;
  std::condition_variable changed;
  bool server_left = false;
  int answered = 0;
  int handled = 0;
  server->set_request_handle([&](const SimpleData& request, SimpleApp* app) {
    app->Response(request);
    std::lock_guard<std::mutex> lock(mutex);
    ++answered;
    changed.notify_all();
  });
  // The first answer is at the handle, the second one waits behind it, when the server leaves.
  worker.set_response_handle([&](const SimpleData&, SimpleApp*) {
    std::unique_lock<std::mutex> lock(mutex);
    changed.wait(lock, [&] { return server_left; });
    ++handled;
  });
  const int first = worker.Request(1, "", kServerGroup);
  const int second = worker.Request(2, "", kServerGroup);
  {
    std::unique_lock<std::mutex> lock(mutex);
    changed.wait(lock, [&] { return answered == 2; });
  }
  ASSERT_TRUE(cluster.server(0).TryFinalize(0, false).ok());
  {
    std::lock_guard<std::mutex> lock(mutex);
    server_left = true;
    changed.notify_all();
  }
  EXPECT_NO_THROW(worker.Wait(first));
  EXPECT_NO_THROW(worker.Wait(second));
  EXPECT_EQ(handled, 2);
}

TEST(LeavingTest, ARequestToANodeThatHasLeftFailsAtOnce) {
  Watchdog watchdog(std::chrono::seconds(20));
  LocalCluster cluster(1, 2);
  ASSERT_TRUE(cluster.Start().ok());
  SimpleApp asker(&cluster.worker(0), 0, 0);
  SimpleApp peer(&cluster.worker(1), 0, 0);
  peer.set_request_handle([](const SimpleData& request, SimpleApp* app) { app->Response(request); });
  asker.Wait(asker.Request(1, "", Postoffice::WorkerRankToID(1)));
  ASSERT_TRUE(cluster.worker(1).TryFinalize(0, false).ok());
  const int timestamp = asker.Request(1, "", Postoffice::WorkerRankToID(1));
  try {
    asker.Wait(timestamp);
    FAIL() << "nobody can have answered";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), StatusCode::kUnavailable);
    EXPECT_NE(std::string(error.what()).find("worker 1"), std::string::npos) << error.what();
  }
}

TEST(LeavingTest, ACallbackMayDeleteAnotherCustomerDuringFinalize) {
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
  KVWorker<int> first(&cluster.worker(0), 0, 0);
  auto second = std::make_unique<KVWorker<int>>(&cluster.worker(0), 1, 1);
  first.Push({1}, {1}, {}, 0, [&] { second.reset(); });
  std::thread finalizing([&] { EXPECT_TRUE(cluster.Finalize().ok()); });
  {
    std::unique_lock<std::mutex> lock(mutex);
    changed.wait(lock, [&] { return !kept.empty(); });
  }
  server.Response(kept[0]);
  finalizing.join();
  EXPECT_EQ(second, nullptr);
}

TEST(LeavingTest, AnExitCallbackThatThrowsKeepsNoOtherFromRunning) {
  Watchdog watchdog(std::chrono::seconds(20));
  LocalCluster cluster(1, 1);
  ASSERT_TRUE(cluster.Start().ok());
  bool ran = false;
  cluster.worker(0).RegisterExitCallback([&] { ran = true; });
  cluster.worker(0).RegisterExitCallback([] { throw std::runtime_error("exit callback"); });
  EXPECT_TRUE(cluster.Finalize().ok());
  EXPECT_TRUE(ran);
}

TEST(LeavingTest, AThreadThatStartedANodeOfAClusterIsNotBoundToItLater) {
  Watchdog watchdog(std::chrono::seconds(20));
  Postoffice* const before = Postoffice::Get();
  {
    LocalCluster cluster(0, 1);
    std::thread scheduler([&] { cluster.scheduler().Start(0, nullptr, true); });
    cluster.worker(0).Start(0, nullptr, true);
    scheduler.join();
    EXPECT_EQ(Postoffice::Get(), before);
  }
  EXPECT_EQ(Postoffice::Get(), before);
}

}  // namespace
}  // namespace ps

#include "ps/ps.h"

#include <gtest/gtest.h>

#include "ps/local_cluster.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

TEST(PsTest, TheFreeFunctionsMeanTheNodeOfTheThread) {
  Watchdog watchdog;
  LocalCluster cluster(2, 1);
  std::atomic<int> roles{0};
  std::atomic<int> exits{0};
  cluster.RunProgram([&](Postoffice& node) {
    EXPECT_EQ(IsWorker() + IsServer() + IsScheduler(), 1);
    EXPECT_EQ(NumServers(), 2);
    EXPECT_THROW(MyRank(), Error);
    StartAsync(0);
    EXPECT_EQ(NumWorkers(), 1);
    EXPECT_EQ(MyRank(), node.my_rank());
    RegisterExitCallback([&] {
      exits += IsWorker() == node.is_worker();
      EXPECT_EQ(NumServers(), 0);
    });
    roles += IsServer() ? 100 : IsWorker() ? 10 : 1;
    Finalize(0);
    EXPECT_EQ(NumWorkers(), 0);
    EXPECT_EQ(IsServer(), node.is_server());
  });
  EXPECT_EQ(roles, 211);
  EXPECT_EQ(exits, 4);
}

TEST(PsTest, TheTwinsReturnWhatTheOthersThrow) {
  Watchdog watchdog;
  LocalCluster cluster(1, 1);
  cluster.RunProgram([](Postoffice&) {
    EXPECT_EQ(TryFinalize(0).code(), StatusCode::kFailedPrecondition);
    EXPECT_THROW(Finalize(0), Error);
    EXPECT_TRUE(TryStart(0).ok());
    EXPECT_EQ(TryStartAsync(0).code(), StatusCode::kFailedPrecondition);
    EXPECT_TRUE(TryFinalize(0).ok());
  });
}

// F-01, F-05: built before Start, they take part in what is started under their id.
TEST(PsTest, AppsMayBeBuiltBeforeStart) {
  Watchdog watchdog;
  LocalCluster cluster(1, 1);
  cluster.RunProgram([](Postoffice& node) {
    if (node.is_server()) {
      KVServer<int> server(0);
      server.set_request_handle(KVServerDefaultHandle<int>());
      StartAsync(0);
      Finalize(0);
      return;
    }
    KVWorker<int> worker(0, 0);
    StartAsync(0);
    std::vector<int> vals;
    if (node.is_worker()) {
      worker.Wait(worker.Push({1}, {5}));
      worker.Wait(worker.Pull({1}, &vals));
      EXPECT_EQ(vals, std::vector<int>{5});
    }
    Finalize(0);
  });
}

}  // namespace
}  // namespace ps

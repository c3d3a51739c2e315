#include "ps/local_cluster.h"

#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <stdexcept>

#include "base/clock.h"
#include "base/thread.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

TEST(LocalClusterTest, GivesEveryNodeItsRoleRankAndId) {
  Watchdog watchdog(std::chrono::seconds(20));
  LocalCluster cluster(2, 3);
  ASSERT_TRUE(cluster.Start().ok());
  EXPECT_TRUE(cluster.scheduler().is_scheduler());
  for (int rank = 0; rank < 2; ++rank) {
    EXPECT_TRUE(cluster.server(rank).is_server());
    EXPECT_EQ(cluster.server(rank).my_rank(), rank);
    EXPECT_EQ(cluster.server(rank).van()->my_node().id, 8 + 2 * rank);
  }
  for (int rank = 0; rank < 3; ++rank) {
    EXPECT_TRUE(cluster.worker(rank).is_worker());
    EXPECT_EQ(cluster.worker(rank).my_rank(), rank);
    EXPECT_EQ(cluster.worker(rank).van()->my_node().id, 9 + 2 * rank);
    EXPECT_EQ(cluster.worker(rank).num_servers(), 2);
  }
  EXPECT_TRUE(cluster.Finalize().ok());
  EXPECT_EQ(cluster.worker(0).num_workers(), 0);
}

TEST(LocalClusterTest, RunsABodyOnEveryNode) {
  Watchdog watchdog(std::chrono::seconds(20));
  std::atomic<int> ran{0};
  LocalCluster cluster(1, 2);
  cluster.Run([&](Postoffice& node) {
    EXPECT_EQ(Postoffice::Get(), &node);
    ++ran;
  });
  EXPECT_EQ(ran.load(), 4);
}

TEST(LocalClusterTest, StartsAgainAndAgain) {
  Watchdog watchdog(std::chrono::seconds(30));
  LocalCluster cluster(1, 2);
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(cluster.Start().ok());
    EXPECT_EQ(cluster.worker(1).my_rank(), 1);
    ASSERT_TRUE(cluster.Finalize().ok());
  }
}

TEST(LocalClusterTest, PassesOnWhatABodyThrowsAndEndsTheOthers) {
  Watchdog watchdog(std::chrono::seconds(20));
  LocalCluster cluster(1, 2);
  try {
    cluster.Run([](Postoffice& node) {
      if (node.is_worker() && node.my_rank() == 1) throw std::runtime_error("worker 1 fails");
      node.Barrier(0, 7);
    });
    FAIL() << "nothing was thrown";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "worker 1 fails");
  }
}

TEST(LocalClusterTest, SeveralLiveSideBySide) {
  Watchdog watchdog(std::chrono::seconds(20));
  LocalCluster first(1, 1);
  LocalCluster second(2, 2);
  ASSERT_TRUE(first.Start().ok());
  ASSERT_TRUE(second.Start().ok());
  EXPECT_EQ(first.worker(0).num_servers(), 1);
  EXPECT_EQ(second.worker(0).num_servers(), 2);
  EXPECT_TRUE(first.Finalize().ok());
  EXPECT_TRUE(second.Finalize().ok());
}

TEST(LocalClusterTest, CloseEndsAStartThatWaits) {
  Watchdog watchdog(std::chrono::seconds(20));
  LocalCluster cluster(1, 1);
  Postoffice& lonely = cluster.worker(0);
  Thread closer("closer", [&] { cluster.Close(); });
  const Status started = lonely.TryStart(0, nullptr, true);
  EXPECT_EQ(started.code(), StatusCode::kCancelled) << started;
}

}  // namespace
}  // namespace ps

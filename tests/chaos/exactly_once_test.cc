// Start, pushes, pulls, barriers and Finalize of a whole cluster while 30 % of all frames are lost, 10 % come
// twice and 20 % out of order: every push is applied once. With PS_CHAOS_SEEDS more seeds.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <vector>

#include "base/thread.h"
#include "ps/local_cluster.h"
#include "tests/support/chaos.h"
#include "tests/support/figure.h"
#include "tests/support/increments.h"
#include "tests/support/memory.h"
#include "tests/support/socket_cluster.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

constexpr int kServers = 2;
constexpr int kWorkers = 3;
constexpr int kPushes = 40;
constexpr size_t kClustersAtOnce = 50;
const std::vector<Key> kKeys = {0, kMaxKey};  // one of each server

Config QuickToAsk() {
  Config config;
  config.resend_timeout_ms = 5;
  return config;
}

// One worker's part: pushes, a barrier with the other workers, and what it then reads.
void Work(Postoffice* node) {
  KVWorker<double> worker(node, 0, 0);
  PushOnes(&worker, kKeys, kPushes, kPushes);
  node->Barrier(0, kWorkerGroup);
  EXPECT_EQ(PullAll(&worker, kKeys), std::vector<double>(2, kWorkers * kPushes));
}

template <typename Cluster>
void IncrementExactly(Cluster* cluster) {
  const Watchdog watchdog;
  ASSERT_TRUE(cluster->Start().ok());
  std::vector<std::unique_ptr<IncrementServer>> servers;
  for (int rank = 0; rank < kServers; ++rank) {
    servers.push_back(std::make_unique<IncrementServer>(&cluster->server(rank)));
  }
  {
    std::vector<std::unique_ptr<Thread>> threads;
    for (int rank = 0; rank < kWorkers; ++rank) {
      Postoffice* const node = &cluster->worker(rank);
      threads.push_back(std::make_unique<Thread>("worker", [node] { Work(node); }));
    }
  }
  const Status finalized = cluster->Finalize();
  EXPECT_TRUE(finalized.ok()) << finalized;
  for (const auto& server : servers) {
    EXPECT_EQ(server->num_pushes(), static_cast<uint64_t>(kWorkers * kPushes));
    EXPECT_EQ(server->num_repeated(), 0u);
  }
}

LocalClusterOptions OptionsFor(uint64_t seed) {
  LocalClusterOptions options;
  options.servers = kServers;
  options.workers = kWorkers;
  options.config = QuickToAsk();
  options.wrap_transport = Chaotic(RoughWeather(seed, 2));
  return options;
}

TEST(ExactlyOnceTest, NobodyPassesABarrierEarly) {
  const Watchdog watchdog;
  constexpr int kRounds = 20;
  constexpr int kNodes = 1 + kServers + kWorkers;
  LocalCluster cluster(OptionsFor(ChaosNumber("PS_CHAOS_SEED", 1)));
  std::atomic<int> arrived{0};
  cluster.Run([&arrived](Postoffice& node) {
    for (int round = 1; round <= kRounds; ++round) {
      ++arrived;
      node.Barrier(0, kScheduler + kServerGroup + kWorkerGroup);
      EXPECT_GE(arrived.load(), round * kNodes);
    }
  });
  EXPECT_EQ(arrived.load(), kRounds * kNodes);
}

// What is late as well: the last barrier must reach everybody before the scheduler goes. The clusters only
// wait, so that many can do it at once.
TEST(ExactlyOnceTest, ManyClustersStartAndEndOnSlowLinks) {
  const Watchdog watchdog(std::chrono::seconds(50));
  std::vector<std::unique_ptr<Thread>> threads;
  std::atomic<int> ended{0};
  ForEachSeed([&](uint64_t seed) {
    if (threads.size() == kClustersAtOnce) threads.clear();
    threads.push_back(std::make_unique<Thread>("cluster", [seed, &ended] {
      LocalClusterOptions options = OptionsFor(seed);
      options.config.resend_timeout_ms = 200;
      options.wrap_transport = Chaotic(RoughWeather(seed, 50));
      LocalCluster cluster(options);
      const Status started = cluster.Start();
      EXPECT_TRUE(started.ok()) << "seed " << seed << ": " << started;
      const Status finalized = cluster.Finalize();
      EXPECT_TRUE(finalized.ok()) << "seed " << seed << ": " << finalized;
      ++ended;
    }));
  });
  threads.clear();
  if (!testing::Test::HasFailure()) PS_FIGURE("X3", ended << " clusters started and ended");
}

TEST(ExactlyOnceTest, SumsAreExactInMemory) {
  uint64_t seeds = 0;
  ForEachSeed([&seeds](uint64_t seed) {
    SCOPED_TRACE(seed);
    LocalCluster cluster(OptionsFor(seed));
    IncrementExactly(&cluster);
    ++seeds;
  });
  if (!testing::Test::HasFailure()) PS_FIGURE("X1", seeds << " seeds, sums exact");
}

TEST(ExactlyOnceTest, SumsAreExactOverSockets) {
  if (UnderThreadSanitizer()) GTEST_SKIP() << "libzmq is not instrumented";
  uint64_t seeds = 0;
  ForEachSeed([&seeds](uint64_t seed) {
    SCOPED_TRACE(seed);
    SocketCluster cluster(kServers, kWorkers, QuickToAsk(), Chaotic(RoughWeather(seed, 2)));
    IncrementExactly(&cluster);
    ++seeds;
  });
  if (!testing::Test::HasFailure()) PS_FIGURE("X2", seeds << " seeds, sums exact");
}

}  // namespace
}  // namespace ps

// R4: pushes over links that lose 30 %, double 10 %, reorder 20 % and delay everything by up to 50 ms. 10^4
// pushes; with PS_TEST_LONG=1 10^5.
#include <gtest/gtest.h>

#include "tests/support/chaos.h"
#include "tests/support/figure.h"
#include "tests/support/increment_cluster.h"
#include "tests/support/job.h"
#include "tests/support/memory.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

constexpr int kWorkers = 5;
constexpr size_t kWindow = 256;
constexpr int kMaxDelayMs = 50;

LocalClusterOptions OptionsFor(const ChaosOptions& weather) {
  LocalClusterOptions options;
  options.servers = 2;
  options.workers = kWorkers;
  options.config.resend_timeout_ms = 4 * kMaxDelayMs;
  options.wrap_transport = Chaotic(weather);
  return options;
}

double RateWithoutLoss(uint64_t seed, int pushes) {
  ChaosOptions calm = RoughWeather(seed, kMaxDelayMs);
  calm.drop_percent = calm.duplicate_percent = calm.reorder_percent = 0;
  IncrementCluster cluster(OptionsFor(calm));
  ThrowIfError(cluster.Start());
  const double rate = cluster.Push(pushes, kWindow);
  ThrowIfError(cluster.Finalize());
  return rate;
}

TEST(RoughLinkTest, SumsAreExactAndMemoryIsThatOfTheWindow) {
  const Watchdog watchdog(std::chrono::seconds(50));
  const uint64_t seed = ChaosNumber("PS_CHAOS_SEED", 1);
  const int pushes = LongForms() ? 100000 : 10000;
  const double calm_rate = RateWithoutLoss(seed, pushes / 2);

  IncrementCluster cluster(OptionsFor(RoughWeather(seed, kMaxDelayMs)));
  const Status started = cluster.Start();
  ASSERT_TRUE(started.ok()) << started;
  cluster.Push(pushes / 5, kWindow);
  const int64_t early_bytes = HeapBytes();
  const double rate = cluster.Push(pushes - pushes / 5, kWindow);
  const int64_t grown = HeapBytes() - early_bytes;
  EXPECT_EQ(cluster.num_pushes(), static_cast<uint64_t>(pushes));
  EXPECT_EQ(cluster.num_repeated(), 0u);
  EXPECT_EQ(cluster.Sum(), pushes);
  EXPECT_GT(cluster.Count(Counter::kResendsSent), 0u);
  // What may be on its way, not what was sent: something left behind by each push would show many times over.
  if (!UnderSanitizer()) {
    EXPECT_LT(grown, static_cast<int64_t>(kWorkers * kWindow * 1024));
  }
  const Status finalized = cluster.Finalize();
  EXPECT_TRUE(finalized.ok()) << finalized;
  if (testing::Test::HasFailure()) return;
  PS_FIGURE("R4", pushes << " pushes exact, " << static_cast<int>(rate)
                         << "/s at window 256 = " << static_cast<int>(100 * rate / calm_rate) << " % of the "
                         << static_cast<int>(calm_rate) << "/s without loss at equal delay, heap grew by "
                         << grown / 1024 << " KiB");
}

}  // namespace
}  // namespace ps

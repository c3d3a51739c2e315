// KVStore on links that lose, double, delay and reorder: rounds have the values of the closed form
// (kv-case-15). With PS_CHAOS_SEEDS more seeds.
#include <gtest/gtest.h>

#include <vector>

#include "tests/support/chaos.h"
#include "tests/support/figure.h"
#include "tests/support/kv_values.h"
#include "tests/support/kv_world.h"

namespace ps {
namespace {

constexpr int kServers = 3;
constexpr int kWorkers = 4;
constexpr int kRounds = 50;

// Pushes and pulls by turns with push-pulls, of a key in one piece and of one that is cut.
void Train(int worker, KVStore* store, uint64_t seed) {
  store->SetOptimizer("add rate=2");
  store->Init({1, 2}, {Tensor::Full({2, 3}, 1), Tensor::Full({100, 9}, 1)});
  const std::vector<Tensor> gradients = {Tensor::Full({2, 3}, worker + 1),
                                         Tensor::Full({100, 9}, worker + 1)};
  const std::vector<Tensor> outs = {Tensor::Empty({2, 3}), Tensor::Empty({100, 9})};
  for (int i = 0; i < kRounds; ++i) {
    if (i % 2 == 0) {
      store->Push({1, 2}, gradients);
      static_cast<void>(store->Pull({1, 2}, outs));
    } else {
      static_cast<void>(store->PushPull({1, 2}, gradients, outs));
    }
    const auto expected = static_cast<float>(1 + kWorkers * (kWorkers + 1) * (i + 1));
    ASSERT_EQ(ReadFloats(outs[0]), std::vector<float>(6, expected)) << "seed " << seed << ", round " << i;
    ASSERT_EQ(ReadFloats(outs[1]), std::vector<float>(900, expected)) << "seed " << seed << ", round " << i;
  }
}

TEST(KVStoreChaos, KvCase15RoundsHaveTheValuesOfTheClosedForm) {
  int num_runs = 0;
  ForEachSeed([&num_runs](uint64_t seed) {
    LocalClusterOptions cluster;
    cluster.config.resend_timeout_ms = 5;
    cluster.config.server_threads = static_cast<int>(seed % 3);
    cluster.wrap_transport = Chaotic(ChangeableWeather(seed));
    KVStoreOptions options;
    options.slice_bytes = 1000;
    KVWorld world("dist_sync", kServers, kWorkers, options, cluster);
    world.Run([seed](int worker, KVStore& store) { Train(worker, &store, seed); });
    ++num_runs;
  });
  PS_FIGURE("kv-case-15", num_runs << " runs of " << kRounds << " rounds, exact");
}

}  // namespace
}  // namespace ps

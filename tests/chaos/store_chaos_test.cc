// The store on links that lose, double, delay and reorder: BSP gives the same bits in every run (tbl-vec-65),
// the closed form of dist_sync holds, SSP is never staler than its bound. With PS_CHAOS_SEEDS more seeds.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "ps/local_cluster.h"
#include "ps/store.h"
#include "ps/store_server.h"
#include "tests/support/chaos.h"
#include "tests/support/figure.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

using Floats = std::vector<float>;

// Clusters whose links go wrong as a seed says, and what every worker does.
class StoreChaosTest : public testing::Test {
 protected:
  static constexpr int kServers = 3;
  static constexpr int kWorkers = 4;

  static LocalClusterOptions OptionsFor(uint64_t seed) {
    LocalClusterOptions options;
    options.servers = kServers;
    options.workers = kWorkers;
    options.config.resend_timeout_ms = 5;
    options.config.server_threads = static_cast<int>(seed % 3);
    options.wrap_transport = Chaotic(ChangeableWeather(seed));
    return options;
  }
  template <typename Body>
  static void Run(uint64_t seed, Body body) {
    const Watchdog watchdog;
    LocalCluster cluster(OptionsFor(seed));
    ThrowIfError(cluster.Start());
    std::vector<std::unique_ptr<StoreServer>> servers;
    for (int i = 0; i < kServers; ++i) servers.push_back(std::make_unique<StoreServer>(&cluster.server(i)));
    std::vector<std::thread> workers;
    for (int i = 0; i < kWorkers; ++i) {
      workers.emplace_back([&cluster, body, i] {
        Store store(&cluster.worker(i));
        body(i, &store);
        store.Barrier();
      });
    }
    for (std::thread& worker : workers) worker.join();
    const Status finalized = cluster.Finalize();
    EXPECT_TRUE(finalized.ok()) << finalized;
  }
  static TableSpec Spec(const Consistency& consistency) {
    TableSpec spec;
    spec.name = "w";
    spec.rows = 40;
    spec.min_split = 0;
    spec.consistency = consistency;
    return spec;
  }
};

// Contributions of mixed magnitude, of whole tables and of rows: their sum depends on the order.
void Fill(int worker, int round, Floats* values) {
  std::mt19937 random(static_cast<unsigned>(100 * round + worker));
  std::uniform_real_distribution<float> uniform(-1, 1);
  for (float& value : *values)
    value = uniform(random) * std::pow(10.0f, static_cast<float>(random() % 12) - 6);
}

TEST_F(StoreChaosTest, TblVec65SumsHaveTheSameBitsInEveryRun) {
  Floats first;
  int num_runs = 0;
  ForEachSeed([&](uint64_t seed) {
    Floats last[kWorkers];
    Run(seed, [&](int worker, Store* store) {
      TableSpec spec = Spec(Consistency::Bsp());
      spec.apply = TableSpec::kMerged;
      const auto table = store->Create(spec);
      Floats values(40), seen(40);
      for (int round = 1; round <= 8; ++round) {
        Fill(worker, round, &values);
        if ((round + worker) % 3 == 0) {
          const std::vector<std::uint64_t> rows = {39, static_cast<std::uint64_t>(worker), 20, 7};
          table->AddAsync(Rows::Of(rows), values.data());
        } else {
          table->AddAsync(Rows::All(), values.data());
        }
        table->Get(Rows::All(), seen.data());
      }
      last[worker] = seen;
    });
    for (const Floats& of_worker : last) EXPECT_EQ(of_worker, last[0]) << "seed " << seed;
    if (first.empty()) first = last[0];
    EXPECT_EQ(last[0], first) << "seed " << seed;
    ++num_runs;
  });
  PS_FIGURE("BSP", num_runs << " runs, the same bits in each");
}

TEST_F(StoreChaosTest, TheClosedFormHolds) {
  ForEachSeed([](uint64_t seed) {
    Run(seed, [seed](int worker, Store* store) {
      TableSpec spec = Spec(Consistency::Bsp());
      spec.apply = TableSpec::kMerged;
      spec.init = Init::Constant(1);
      const auto table = store->Create(spec);
      const Floats mine(40, 2.0f * static_cast<float>(worker + 1));
      Floats seen(40);
      const int rounds = 10;
      for (int i = 0; i < rounds; ++i) {
        table->AddGetAsync(Rows::All(), mine.data(), seen.data()).Wait();
        EXPECT_EQ(seen, Floats(40, static_cast<float>(1 + kWorkers * (kWorkers + 1) * (i + 1))))
            << "seed " << seed;
      }
    });
  });
}

TEST_F(StoreChaosTest, SspIsNeverStalerThanItsBound) {
  ForEachSeed([](uint64_t seed) {
    const int bound = static_cast<int>(seed % 3);
    Run(seed, [seed, bound](int worker, Store* store) {
      const auto table = store->Create(Spec(Consistency::Ssp(bound)));
      const Floats ones(40, 1);
      Floats seen(40);
      const int rounds = 10;
      for (int round = 1; round <= rounds; ++round) {
        table->AddAsync(Rows::All(), ones.data());
        table->Get(Rows::All(), seen.data());
        const int promised = round + (kWorkers - 1) * std::max(0, round - bound);
        for (const float value : seen)
          EXPECT_GE(value, static_cast<float>(promised)) << "seed " << seed << ", worker " << worker;
      }
    });
  });
}

}  // namespace
}  // namespace ps

// Collectives on links that lose, double, delay and reorder: sums are exact, and every rank ends. With
// PS_CHAOS_SEEDS more seeds.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "ps/collective.h"
#include "ps/local_cluster.h"
#include "tests/support/chaos.h"
#include "tests/support/figure.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

constexpr int kWorkers = 4;
// Of each way to exchange values.
constexpr std::size_t kCounts[] = {1, 100, 5000, 60000};

TensorView ViewOf(std::vector<std::int64_t>* values) {
  TensorView view;
  view.data = values->data();
  view.shape = {static_cast<std::int64_t>(values->size())};
  view.dtype = DType::kI64;
  return view;
}

std::vector<std::int64_t> Of(std::size_t count, std::int64_t factor) {
  std::vector<std::int64_t> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = factor * static_cast<std::int64_t>(i + 1);
  return values;
}

constexpr std::int64_t kSumOfRanks = kWorkers * (kWorkers + 1) / 2;

// By order, and by name in another order on each rank.
void SumAll(Collective* collective, const std::string& seed) {
  const int mine = collective->rank() + 1;
  std::vector<std::vector<std::int64_t>> named;
  std::vector<Ticket> tickets;
  for (const std::size_t count : kCounts) named.push_back(Of(count, mine));
  for (std::size_t i = 0; i < named.size(); ++i) {
    const std::size_t which = (i + static_cast<std::size_t>(mine)) % named.size();
    tickets.push_back(
        collective->AllreduceAsync(ViewOf(&named[which]), ReduceOp::kSum, std::to_string(which)));
  }
  for (const std::size_t count : kCounts) {
    std::vector<std::int64_t> values = Of(count, mine);
    collective->Allreduce(ViewOf(&values));
    ASSERT_EQ(values, Of(count, kSumOfRanks)) << "seed " << seed;
    collective->Broadcast(ViewOf(&values), static_cast<int>(count % kWorkers));
    collective->Barrier();
  }
  for (const Ticket& ticket : tickets) ticket.Wait();
  for (std::size_t i = 0; i < named.size(); ++i)
    ASSERT_EQ(named[i], Of(kCounts[i], kSumOfRanks)) << "seed " << seed;
}

TEST(CollectiveChaos, SumsAreExact) {
  int num_runs = 0;
  ForEachSeed([&num_runs](uint64_t seed) {
    const Watchdog watchdog(std::chrono::seconds(60), "seed " + std::to_string(seed));
    LocalClusterOptions options;
    options.servers = 0;
    options.workers = kWorkers;
    options.config.resend_timeout_ms = 5;
    options.wrap_transport = Chaotic(ChangeableWeather(seed));
    LocalCluster cluster(options);
    cluster.Run([seed](Postoffice& node) {
      if (node.is_worker()) SumAll(Collective::Of(&node).get(), std::to_string(seed));
    });
    ++num_runs;
  });
  PS_FIGURE("COLL", num_runs << " runs on " << kWorkers << " ranks, exact");
}

}  // namespace
}  // namespace ps

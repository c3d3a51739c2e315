// s7: barriers of a cluster with 200 nodes beside the scheduler.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdio>
#include <memory>
#include <string>

#include "base/clock.h"
#include "ps/local_cluster.h"
#include "tests/support/job.h"
#include "tests/support/log_capture.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

constexpr int kMembers = 201;

// The counts the scheduler logged for group 7, in order.
std::vector<int> Counts(const LogCapture& log) {
  const std::string text = "Barrier count for 7 : ";
  std::vector<int> counts;
  for (const std::string& line : log.lines()) {
    const size_t at = line.find(text);
    if (at != std::string::npos) counts.push_back(std::atoi(line.c_str() + at + text.size()));
  }
  return counts;
}

TEST(S7, NobodyLeavesARoundOfAWideBarrierEarly) {
  Watchdog watchdog(std::chrono::seconds(55));
  const int rounds = LongForms() ? 100 : 20;
  LogCapture log;
  LocalClusterOptions options;
  options.servers = 100;
  options.workers = 100;
  options.config.verbose = 1;
  LocalCluster cluster(options);
  std::unique_ptr<std::atomic<int>[]> arrived(new std::atomic<int>[static_cast<size_t>(rounds)]());
  std::atomic<int> early{0};
  std::atomic<int64_t> began_ms{0};
  std::atomic<int64_t> ended_ms{0};
  const int64_t start_ms = Clock::Real().NowMs();
  cluster.Run([&](Postoffice& node) {
    if (node.is_scheduler()) began_ms = Clock::Real().NowMs();
    for (int round = 0; round < rounds; ++round) {
      ++arrived[static_cast<size_t>(round)];
      node.Barrier(0, 7);
      if (arrived[static_cast<size_t>(round)] != kMembers) ++early;
    }
    if (node.is_scheduler()) ended_ms = Clock::Real().NowMs();
  });
  EXPECT_EQ(early.load(), 0);
  std::printf("s7: start of 201 nodes %d ms, %.1f ms per barrier (figure: 50 on an idle machine)\n",
              static_cast<int>(began_ms - start_ms), static_cast<double>(ended_ms - began_ms) / rounds);
  EXPECT_LE(static_cast<double>(ended_ms - began_ms) / rounds, 1000 * TestTimeScale());

  const std::vector<int> counts = Counts(log);
  ASSERT_EQ(counts.size(), static_cast<size_t>(kMembers * (rounds + 2)));  // and those of Start and Finalize
  for (size_t i = 0; i < counts.size(); ++i)
    ASSERT_EQ(counts[i], static_cast<int>(i) % kMembers + 1) << "line " << i;
}

}  // namespace
}  // namespace ps

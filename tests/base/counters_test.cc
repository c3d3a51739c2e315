#include "base/counters.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/thread.h"

namespace ps {
namespace {

TEST(CountersTest, StartAtZeroAndAddUp) {
  Counters counters;
  EXPECT_EQ(counters.Get(Counter::kSentBytes), 0u);
  counters.Add(Counter::kSentBytes, 100);
  counters.Add(Counter::kSentBytes);
  EXPECT_EQ(counters.Get(Counter::kSentBytes), 101u);
  EXPECT_EQ(counters.Get(Counter::kReceivedBytes), 0u);
}

TEST(CountersTest, EveryCounterHasANameOfItsOwn) {
  std::set<std::string> names;
  for (int i = 0; i < static_cast<int>(Counter::kCount); ++i) {
    names.insert(Counters::Name(static_cast<Counter>(i)));
  }
  EXPECT_EQ(names.size(), static_cast<std::size_t>(Counter::kCount));
  EXPECT_STREQ(Counters::Name(Counter::kRejectedMagic), "ps_rejected_frames_total{reason=\"magic\"}");
  EXPECT_STREQ(Counters::Name(Counter::kRecoveries), "ps_recoveries_total");
}

TEST(CountersTest, RejectedFramesIsTheSumOfAllReasons) {
  Counters counters;
  counters.Add(Counter::kRejectedMagic, 2);
  counters.Add(Counter::kRejectedOverflow, 3);
  counters.Add(Counter::kSentMessages, 50);
  EXPECT_EQ(counters.RejectedFrames(), 5u);
}

TEST(CountersTest, TextHasALinePerCounter) {
  Counters counters;
  counters.Add(Counter::kNodesLost, 4);
  const std::string text = counters.ToText();
  EXPECT_NE(text.find("ps_nodes_lost_total 4\n"), std::string::npos);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), static_cast<int>(Counter::kCount));
}

TEST(CountersTest, NothingIsLostBetweenThreads) {
  Counters counters;
  {
    std::vector<std::unique_ptr<Thread>> threads;
    for (int i = 0; i < 3; ++i) {
      threads.push_back(std::make_unique<Thread>("count", [&counters] {
        for (int n = 0; n < 1000; ++n) counters.Add(Counter::kSentFrames);
      }));
    }
  }
  EXPECT_EQ(counters.Get(Counter::kSentFrames), 3000u);
}

TEST(CountersTest, NewRejectionsAreToldOnceWithTheirReasons) {
  Counters counters;
  Counters::Snapshot said{};
  std::uint64_t total = 7;
  EXPECT_EQ(counters.NewRejections(&said, &total), "");
  EXPECT_EQ(total, 0u);
  counters.Add(Counter::kRejectedMagic, 2);
  counters.Add(Counter::kRejectedOverflow);
  counters.Add(Counter::kSilentConnections);
  EXPECT_EQ(counters.NewRejections(&said, &total), "magic 2, overflow 1");
  EXPECT_EQ(total, 3u);
  counters.Add(Counter::kRejectedHandshake);
  EXPECT_EQ(counters.NewRejections(&said, &total), "handshake 1");
  EXPECT_EQ(total, 1u);
}

}  // namespace
}  // namespace ps

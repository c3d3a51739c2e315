#include "transport/zmq/probation.h"

#include <gtest/gtest.h>

#include <vector>

namespace ps {
namespace {

using Fds = std::vector<int>;

TEST(ProbationTest, HoldingMoreThanTheLimitEndsIt) {
  Probation probation({100, 500});
  probation.Begin(7);
  probation.Taken(7, 100);
  EXPECT_EQ(probation.TakeExceeding(true), Fds{});
  probation.Taken(7, 101);
  EXPECT_EQ(probation.TakeExceeding(true), Fds{7});
  EXPECT_FALSE(probation.Has(7));
  EXPECT_EQ(probation.TakeExceeding(true), Fds{}) << "once";
}

TEST(ProbationTest, CompleteMessagesAreNotHeld) {
  Probation probation({100, 500});
  probation.Begin(7);
  for (uint64_t total = 90; total < 10000; total += 90) {
    probation.Taken(7, total);
    probation.Read(7, 90);
    EXPECT_EQ(probation.TakeExceeding(true), Fds{}) << total;
  }
  // What was read ahead of a measurement is no credit for later.
  probation.Read(7, 1);
  probation.Taken(7, 5);
  EXPECT_EQ(probation.TakeExceeding(true), Fds{});
}

TEST(ProbationTest, WithoutANewMeasurementNobodyIsJudged) {
  Probation probation({100, 500});
  probation.Begin(7);
  probation.Taken(7, 90);
  EXPECT_EQ(probation.TakeExceeding(true), Fds{});
  EXPECT_EQ(probation.TakeExceeding(true), Fds{});
}

TEST(ProbationTest, WhatNobodyHasReadYetHasALimitOfItsOwn) {
  Probation probation({100, 500});
  probation.Begin(7);
  probation.Taken(7, 500);
  EXPECT_EQ(probation.TakeExceeding(false), Fds{}) << "complete messages may wait";
  probation.Read(7, 450);
  EXPECT_EQ(probation.TakeExceeding(true), Fds{}) << "they were";
  probation.Taken(7, 951);
  EXPECT_EQ(probation.TakeExceeding(false), Fds{7});
}

TEST(ProbationTest, WhatWasNotDrainedIsJudgedWhenItIs) {
  Probation probation({100, 500});
  probation.Begin(7);
  probation.Taken(7, 200);
  EXPECT_EQ(probation.TakeExceeding(false), Fds{});
  EXPECT_EQ(probation.TakeExceeding(true), Fds{7});
}

TEST(ProbationTest, EndedAndUnknownConnectionsAreLeftAlone) {
  Probation probation({100, 500});
  probation.Taken(7, 1000);
  probation.Read(7, 1000);
  probation.Begin(8);
  probation.Taken(8, 1000);
  probation.End(8);
  EXPECT_EQ(probation.TakeExceeding(true), Fds{});
  EXPECT_EQ(probation.size(), 0u);
  // The same descriptor begins from nothing.
  probation.Begin(8);
  probation.Taken(8, 50);
  EXPECT_EQ(probation.TakeExceeding(true), Fds{});
}

}  // namespace
}  // namespace ps

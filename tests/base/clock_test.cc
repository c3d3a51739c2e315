#include "base/clock.h"

#include <gtest/gtest.h>

#include "tests/support/fake_clock.h"

namespace ps {
namespace {

TEST(ClockTest, RealTimeNeverGoesBackAndBothUnitsAgree) {
  const Clock& clock = Clock::Real();
  const std::int64_t before_us = clock.NowUs();
  const std::int64_t ms = clock.NowMs();
  const std::int64_t after_us = clock.NowUs();
  EXPECT_LE(before_us / 1000, ms);
  EXPECT_LE(ms, after_us / 1000);
}

TEST(ClockTest, AFakeClockMovesOnlyWhenTold) {
  FakeClock clock(500);
  EXPECT_EQ(clock.NowMs(), 500);
  clock.AdvanceMs(20);
  EXPECT_EQ(clock.NowMs(), 520);
  clock.AdvanceUs(1500);
  EXPECT_EQ(clock.NowUs(), 521500);
}

TEST(DeadlineTest, ExpiresExactlyAtItsTime) {
  FakeClock clock(1000);
  const Deadline deadline = Deadline::After(50, clock);
  EXPECT_FALSE(deadline.expired(1049));
  EXPECT_EQ(deadline.remaining(1049), 1);
  EXPECT_TRUE(deadline.expired(1050));
  EXPECT_EQ(deadline.remaining(2000), 0);
}

TEST(DeadlineTest, ZeroMeansNone) {
  const Deadline deadline = Deadline::AfterAt(1000, 0);
  EXPECT_TRUE(deadline.never());
  EXPECT_FALSE(deadline.expired(CondVar::kNever - 1));
  EXPECT_EQ(deadline.remaining(1000), CondVar::kNever);
  EXPECT_EQ(deadline, Deadline::Never());
  EXPECT_EQ(deadline, Deadline());
}

TEST(DeadlineTest, NegativeHasExpired) { EXPECT_TRUE(Deadline::AfterAt(1000, -1).expired(1000)); }

TEST(DeadlineTest, HugeTimesDoNotOverflowIntoThePast) {
  EXPECT_TRUE(Deadline::AfterAt(1000, CondVar::kNever - 5).never());
}

TEST(DeadlineTest, TheEarlierOneIsSmaller) {
  EXPECT_LT(Deadline::AfterAt(0, 5), Deadline::AfterAt(0, 6));
  EXPECT_LT(Deadline::AfterAt(0, 6), Deadline::Never());
}

}  // namespace
}  // namespace ps

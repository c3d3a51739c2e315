#include "base/bell.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

class BellTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!Bell::CanSleep()) GTEST_SKIP() << "this kernel has no futex_waitv (it needs Linux 5.16)";
  }

  Watchdog watchdog_{std::chrono::seconds(60)};
  Bell bell_;
};

TEST_F(BellTest, ARingBeforeTheSleepEndsIt) {
  const uint32_t rings = bell_.rings();
  bell_.Ring();
  bell_.Sleep(rings, {}, CondVar::kNever);
  EXPECT_EQ(bell_.rings(), rings + 1);
}

TEST_F(BellTest, SleepsUntilTheDeadline) {
  const int64_t began_ms = Clock::Real().NowMs();
  const uint32_t rings = bell_.rings();
  // It may wake for no reason.
  while (Clock::Real().NowMs() < began_ms + 20) bell_.Sleep(rings, {}, began_ms + 20);
  EXPECT_GE(Clock::Real().NowMs(), began_ms + 20);
  bell_.Sleep(rings, {}, began_ms);
}

TEST_F(BellTest, AWordThatHasChangedEndsIt) {
  std::atomic<uint32_t> word{1};
  bell_.Sleep(bell_.rings(), {{&word, 2}}, CondVar::kNever);
}

// A thread that answers every ring, or every change of a word, by counting it.
TEST_F(BellTest, EveryRingOfAnotherThreadArrives) {
  constexpr uint32_t kRounds = 2000;
  std::atomic<uint32_t> word{0};
  std::atomic<uint32_t> answered{0};
  Bell answer;
  std::thread sleeper([&] {
    for (uint32_t round = 1; round <= kRounds; ++round) {
      while (bell_.rings() + word.load() < round) {
        const uint32_t rings = bell_.rings();
        const uint32_t value = word.load();
        bell_.BeginSleep();
        if (rings + value < round) bell_.Sleep(rings, {{&word, value}}, CondVar::kNever);
        bell_.EndSleep();
      }
      answered.store(round);
      answer.Ring();
    }
  });
  for (uint32_t round = 1; round <= kRounds; ++round) {
    if (round % 2 == 0) {
      bell_.Ring();
    } else {
      word.fetch_add(1);
      Bell::WakeWord(&word);
    }
    while (answered.load() < round) {
      const uint32_t rings = answer.rings();
      answer.BeginSleep();
      if (answered.load() < round) answer.Sleep(rings, {}, CondVar::kNever);
      answer.EndSleep();
    }
  }
  sleeper.join();
  EXPECT_EQ(answered.load(), kRounds);
}

}  // namespace
}  // namespace ps

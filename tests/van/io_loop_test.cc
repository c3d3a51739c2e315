#include "van/io_loop.h"

#include <gtest/gtest.h>

#include "base/clock.h"
#include "base/queue.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

class IoLoopTest : public testing::Test {
 protected:
  Watchdog watchdog_;
  BlockingQueue<int64_t> ticks_;
  std::atomic<int64_t> next_{CondVar::kNever};
  IoLoop loop_{[this](int64_t now_ms) {
    ticks_.Push(now_ms);
    return next_.exchange(CondVar::kNever);
  }};
};

TEST_F(IoLoopTest, TicksOnceAtTheStartAndThenOnlyWhenAsked) {
  loop_.Start();
  EXPECT_TRUE(ticks_.Pop().has_value());
  EXPECT_FALSE(ticks_.PopUntil(Deadline::After(20)).has_value());
  loop_.Wake();
  EXPECT_TRUE(ticks_.Pop().has_value());
}

TEST_F(IoLoopTest, NeverTicksBeforeTheTimeItWasAskedFor) {
  loop_.Start();
  ticks_.Pop();
  const int64_t at_ms = Clock::Real().NowMs() + 30;
  loop_.WakeAt(at_ms);
  EXPECT_GE(*ticks_.Pop(), at_ms);
}

TEST_F(IoLoopTest, TheEarliestWishCounts) {
  loop_.Start();
  ticks_.Pop();
  loop_.WakeAt(Clock::Real().NowMs() + 1000000);
  loop_.WakeAt(Clock::Real().NowMs() + 1);
  loop_.WakeAt(Clock::Real().NowMs() + 2000000);
  EXPECT_TRUE(ticks_.Pop().has_value());
}

TEST_F(IoLoopTest, TheTickSaysWhenItWantsTheNext) {
  next_ = Clock::Real().NowMs() + 10;
  const int64_t at_ms = next_;
  loop_.Start();
  ticks_.Pop();
  EXPECT_GE(*ticks_.Pop(), at_ms);
}

TEST(IoLoopRaceTest, WhoAsksWhileTheTickRunsIsHeard) {
  Watchdog watchdog;
  std::atomic<int> work{0};
  std::atomic<int> done{0};
  IoLoop loop([&](int64_t) {
    done += work.exchange(0);
    return CondVar::kNever;
  });
  loop.Start();
  for (int i = 0; i < 2000; ++i) {
    work.fetch_add(1);
    loop.Wake();
    while (i % 100 == 0 && done.load() <= i) std::this_thread::yield();
  }
  while (done.load() < 2000) std::this_thread::yield();
}

TEST_F(IoLoopTest, StopIsPromptAndIdempotent) {
  loop_.WakeAt(CondVar::kNever);
  loop_.Stop();
  loop_.Start();
  loop_.Stop();
  loop_.Wake();
  loop_.Stop();
}

}  // namespace
}  // namespace ps

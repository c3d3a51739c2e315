#include "base/mutex.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "base/clock.h"
#include "base/thread.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

struct Gate {
  Mutex mutex;
  CondVar changed;
  int arrived PS_GUARDED_BY(mutex) = 0;
  bool open PS_GUARDED_BY(mutex) = false;
};

TEST(MutexTest, LockKeepsIncrementsOfManyThreads) {
  Watchdog watchdog;
  Gate gate;
  {
    std::vector<std::unique_ptr<Thread>> threads;
    for (int i = 0; i < 4; ++i) {
      threads.push_back(std::make_unique<Thread>("count", [&gate] {
        for (int n = 0; n < 1000; ++n) {
          MutexLock lock(gate.mutex);
          ++gate.arrived;
        }
      }));
    }
  }
  MutexLock lock(gate.mutex);
  EXPECT_EQ(gate.arrived, 4000);
}

TEST(CondVarTest, WakesEveryWaiter) {
  Watchdog watchdog;
  Gate gate;
  std::vector<std::unique_ptr<Thread>> threads;
  for (int i = 0; i < 3; ++i) {
    threads.push_back(std::make_unique<Thread>("wait", [&gate] {
      MutexLock lock(gate.mutex);
      ++gate.arrived;
      gate.changed.NotifyAll();
      while (!gate.open) gate.changed.Wait(lock);
      --gate.arrived;
    }));
  }
  {
    MutexLock lock(gate.mutex);
    while (gate.arrived < 3) gate.changed.Wait(gate.mutex);
    gate.open = true;
    gate.changed.NotifyAll();
  }
  threads.clear();
  MutexLock lock(gate.mutex);
  EXPECT_EQ(gate.arrived, 0);
}

TEST(CondVarTest, WaitUntilEndsAtItsDeadlineAndNotBefore) {
  Watchdog watchdog;
  Gate gate;
  const std::int64_t start_us = Clock::Real().NowUs();
  const std::int64_t deadline_ms = start_us / 1000 + 20;
  MutexLock lock(gate.mutex);
  while (gate.changed.WaitUntil(gate.mutex, deadline_ms)) {
  }
  EXPECT_GE(Clock::Real().NowMs(), deadline_ms);
}

TEST(CondVarTest, WaitUntilWithADeadlineInThePastReturnsAtOnce) {
  Watchdog watchdog;
  Gate gate;
  MutexLock lock(gate.mutex);
  EXPECT_FALSE(gate.changed.WaitUntil(lock, 0));
  EXPECT_FALSE(gate.changed.WaitUntil(lock, -5));
}

TEST(CondVarTest, ADeadlineThatNeverComesWaitsForTheNotice) {
  Watchdog watchdog;
  Gate gate;
  Thread opener("open", [&gate] {
    MutexLock lock(gate.mutex);
    gate.open = true;
    gate.changed.NotifyOne();
  });
  MutexLock lock(gate.mutex);
  while (!gate.open) EXPECT_TRUE(gate.changed.WaitUntil(gate.mutex, CondVar::kNever));
  EXPECT_TRUE(gate.open);
}

}  // namespace
}  // namespace ps

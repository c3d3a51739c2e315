#include "base/timed_counter.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace ps {
namespace {

TEST(TimedCounterTest, AddsUp) {
  TimedCounter counter;
  EXPECT_EQ(counter.average_ns(), 0);
  counter.Add(10);
  counter.Add(25);
  EXPECT_EQ(counter.count(), 2);
  EXPECT_EQ(counter.total_ns(), 35);
  EXPECT_EQ(counter.average_ns(), 17.5);
}

TEST(TimedCounterTest, CountsForAllThreads) {
  TimedCounter counter;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&counter] {
      for (int i = 0; i < 1000; ++i) counter.Add(3);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(counter.count(), 4000);
  EXPECT_EQ(counter.total_ns(), 12000);
}

}  // namespace
}  // namespace ps

#include "store/memory_budget.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <thread>
#include <vector>

namespace ps {
namespace {

TEST(MemoryBudgetTest, WhatWouldExceedTheLimitIsRefusedAndNotCounted) {
  MemoryBudget budget(100);
  EXPECT_TRUE(budget.Take(60, "table a").ok());
  const Status status = budget.Take(41, "table b");
  EXPECT_EQ(status.code(), StatusCode::kResourceExhausted);
  EXPECT_NE(status.message().find("table b"), std::string::npos) << status;
  EXPECT_NE(status.message().find("PS_SERVER_MEMORY_LIMIT"), std::string::npos) << status;
  EXPECT_EQ(budget.used_bytes(), 60U);
  EXPECT_TRUE(budget.Take(40, "table b").ok());
  budget.Give(1);
  EXPECT_TRUE(budget.Take(1, "table b").ok());
}

TEST(MemoryBudgetTest, NoSumOverflows) {
  MemoryBudget budget(100);
  ASSERT_TRUE(budget.Take(50, "a").ok());
  EXPECT_FALSE(budget.Take(UINT64_MAX, "a").ok());
  EXPECT_FALSE(budget.Take(UINT64_MAX - 40, "a").ok());
}

TEST(MemoryBudgetTest, BeyondTheLimitNothingMoreIsGiven) {
  MemoryBudget budget(100);
  budget.TakeAnyway(150);
  EXPECT_FALSE(budget.Take(0, "a").ok());
  budget.Give(50);
  EXPECT_TRUE(budget.Take(0, "a").ok());
}

TEST(MemoryBudgetTest, WithoutALimitOnlyTheSumIsKept) {
  MemoryBudget budget;
  EXPECT_TRUE(budget.Take(std::uint64_t{1} << 60, "a").ok());
  EXPECT_EQ(budget.used_bytes(), std::uint64_t{1} << 60);
}

TEST(MemoryBudgetTest, ThreadsNeverTakeMoreThanThereIs) {
  MemoryBudget budget(1000);
  std::vector<std::uint64_t> taken(4);
  std::vector<std::thread> threads;
  for (std::uint64_t& count : taken) {
    threads.emplace_back([&budget, &count] {
      for (int i = 0; i < 1000; ++i) count += budget.Take(3, "a").ok() ? 3 : 0;
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::uint64_t sum = 0;
  for (const std::uint64_t count : taken) sum += count;
  EXPECT_EQ(sum, 999U);
  EXPECT_EQ(budget.used_bytes(), 999U);
}

}  // namespace
}  // namespace ps

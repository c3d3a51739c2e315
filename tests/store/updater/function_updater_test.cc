#include "store/updater/function_updater.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "tests/store/updater/rule_table.h"

namespace ps {
namespace {

struct Seen {
  int dtype = -1;
  std::int64_t count = 0;
  int worker = -1;
};

// values += delta, and counts in the first state and sums in the second.
void CountAndSum(const UpdaterCall* call, void* argument) {
  for (std::size_t i = 0; i < call->size; ++i) {
    const double d = static_cast<const double*>(call->delta)[i];
    static_cast<double*>(call->values)[i] += d;
    static_cast<double*>(call->states[0])[i] += 1;
    static_cast<double*>(call->states[1])[i] += d;
  }
  *static_cast<Seen*>(argument) = {call->dtype, call->count, call->worker};
}

TEST(FunctionUpdaterTest, GetsElementsStatesAndWhoSentThem) {
  Seen seen;
  ASSERT_TRUE(RegisterUpdaterFunction("count_and_sum", CountAndSum, 2, &seen).ok());
  RuleTable<double> table("count_and_sum", {}, {1, 2, 3}, 4);
  table.Add({1, 1, 1});
  table.BeginAdd();
  table.AddPart(1, {10}, 3);
  EXPECT_EQ(table.values(), (std::vector<double>{2, 13, 4}));
  EXPECT_EQ(table.state(0), (std::vector<double>{1, 2, 1}));
  EXPECT_EQ(table.state(1), (std::vector<double>{1, 11, 1}));
  EXPECT_EQ(seen.dtype, static_cast<int>(DType::kF64));
  EXPECT_EQ(seen.count, 2);
  EXPECT_EQ(seen.worker, 3);
}

TEST(FunctionUpdaterTest, WhatCanNotBeIsRefused) {
  EXPECT_EQ(RegisterUpdaterFunction("none", nullptr, 0, nullptr).message(), "updater 'none' has no function");
  EXPECT_EQ(RegisterUpdaterFunction("few", CountAndSum, -1, nullptr).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(RegisterUpdaterFunction("many", CountAndSum, 1 << 20, nullptr).code(),
            StatusCode::kInvalidArgument);
}

TEST(FunctionUpdaterTest, HasNoOptions) {
  ASSERT_TRUE(RegisterUpdaterFunction("plain_function", CountAndSum, 2, nullptr).ok());
  const Status status = MakeUpdater("plain_function", {{"lr", "1"}}, {}).status();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(status.message(), "updater 'plain_function' has no option 'lr'; it has none");
}

}  // namespace
}  // namespace ps

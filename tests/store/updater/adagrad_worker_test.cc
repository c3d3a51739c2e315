#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/store/updater/rule_table.h"

namespace ps {
namespace {

TEST(AdaGradWorkerTest, EachWorkerHasItsOwnSquares) {
  RuleTable<double> table("adagrad_worker", {{"lr", "0.5"}}, {0, 0}, 3);
  ASSERT_EQ(table.updater().NumStates(), 3);
  table.Add({1, 2}, 2);
  table.Add({3, 4}, 0);
  EXPECT_EQ(table.state(0), (std::vector<double>{36, 64}));
  EXPECT_EQ(table.state(1), (std::vector<double>{0, 0}));
  EXPECT_EQ(table.state(2), (std::vector<double>{4, 16}));
}

// In the original the sum was a copy, and the root one of a negative number.
TEST(AdaGradWorkerTest, StaysFinite) {
  RuleTable<float> table("adagrad_worker", {}, {0, 0, 0});
  for (int k = 0; k < 100; ++k) table.Add({1e-8F, 0, -10});
  for (const float value : table.values()) EXPECT_TRUE(std::isfinite(value));
  EXPECT_EQ(table.values()[1], 0);
}

TEST(AdaGradWorkerTest, WorkersThatWereNotThereShareTheFirstState) {
  RuleTable<float> table("adagrad_worker", {}, {0}, 2);
  table.Add({1}, 2);
  table.Add({1}, -1);
  EXPECT_GT(table.state(0)[0], 0);
  EXPECT_EQ(table.state(1)[0], 0);
}

TEST(AdaGradWorkerTest, ARateOfZeroIsRefused) {
  for (const char* lr : {"0", "1e-300", "-1"})
    EXPECT_EQ(MakeUpdater("adagrad_worker", {{"lr", lr}}, {}).status().code(), StatusCode::kInvalidArgument)
        << lr;
}

}  // namespace
}  // namespace ps

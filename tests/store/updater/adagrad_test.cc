#include <gtest/gtest.h>

#include <vector>

#include "tests/store/updater/rule_table.h"

namespace ps {
namespace {

TEST(AdaGradTest, TheRateShrinksWithTheSumOfSquares) {
  RuleTable<double> table("adagrad", {{"lr", "1"}, {"eps", "0"}}, {0});
  table.Add({3});
  EXPECT_EQ(table.values(), std::vector<double>{-1});
  table.Add({4});
  EXPECT_EQ(table.state(0), std::vector<double>{25});
  EXPECT_DOUBLE_EQ(table.values()[0], -1 - 4. / 5);
}

TEST(AdaGradTest, EpsIsOutsideTheRoot) {
  RuleTable<double> table("adagrad", {{"lr", "1"}, {"eps", "1"}}, {0});
  table.Add({1});
  EXPECT_EQ(table.values(), std::vector<double>{-.5});
}

// A row that nothing came for has no squares: 0 / (0 + eps) is 0.
TEST(AdaGradTest, AGradientOfZeroMovesNothing) {
  RuleTable<float> table("adagrad", {}, {1});
  table.Add({0});
  EXPECT_EQ(table.values(), std::vector<float>{1});
}

}  // namespace
}  // namespace ps

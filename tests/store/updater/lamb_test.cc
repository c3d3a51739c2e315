#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "tests/store/updater/rule_table.h"

namespace ps {
namespace {

TEST(LambTest, LooksAtAllElementsTogether) {
  EXPECT_TRUE(Make("lamb")->NeedsWhole());
  RuleTable<double> both("lamb", {}, {3, 4});
  RuleTable<double> one("lamb", {}, {3});
  both.Add({1, -1});
  one.Add({1});
  EXPECT_NE(both.values()[0], one.values()[0]);
}

// In the first step every direction is +-1: 3 - lr * 5 / sqrt(2), 4 + ...
TEST(LambTest, StepsAreAsLongAsTheWeightsAreLarge) {
  RuleTable<double> table("lamb", {{"eps", "0"}}, {3, 4});
  table.Add({7, -.5});
  EXPECT_NEAR(table.values()[0], 3 - .001 * 5 / std::sqrt(2), 1e-12);
  EXPECT_NEAR(table.values()[1], 4 + .001 * 5 / std::sqrt(2), 1e-12);
}

TEST(LambTest, TheNormOfTheWeightsHasBounds) {
  RuleTable<double> above("lamb", {{"eps", "0"}, {"lower_bound", "10"}}, {3, 4});
  RuleTable<double> below("lamb", {{"eps", "0"}, {"upper_bound", "2"}}, {3, 4});
  above.Add({1, 1});
  below.Add({1, 1});
  EXPECT_NEAR(above.values()[0], 3 - .001 * 10 / std::sqrt(2), 1e-12);
  EXPECT_NEAR(below.values()[0], 3 - .001 * 2 / std::sqrt(2), 1e-12);
}

TEST(LambTest, WithoutANormTheRateIsUsedAsItIs) {
  RuleTable<double> zero("lamb", {{"eps", "0"}}, {0, 0});
  zero.Add({1, -1});
  EXPECT_NEAR(zero.values()[0], -.001, 1e-12);
  RuleTable<double> still("lamb", {}, {3, 4});
  still.Add({0, 0});
  EXPECT_EQ(still.values(), (std::vector<double>{3, 4}));
}

TEST(LambTest, TheCorrectionOfTheBiasCanBeLeftOut) {
  RuleTable<double> table("lamb", {{"bias_correction", "0"}}, {1});
  table.Add({2});
  EXPECT_NEAR(table.values()[0], 1 - .001, 1e-12) << "of one element the direction's length cancels out";
  EXPECT_DOUBLE_EQ(table.state(0)[0], (1 - .9) * 2);
}

// Vectors and the rest behind them agree, and several tables are not mixed up.
TEST(LambTest, RunsAreTablesOfTheirOwn) {
  const auto updater = Make("lamb");
  std::vector<float> two(2 * 3 * 19, .5F);
  const std::vector<float> delta(2 * 19, .25F);
  const UpdateRun runs[] = {{&two[0], &delta[0], 19}, {&two[19], &delta[19], 19}};
  updater->Update(runs, 2, {2 * 19 * sizeof(float), 1, 0});
  RuleTable<float> one("lamb", {}, std::vector<float>(19, .5F));
  one.Add(std::vector<float>(19, .25F));
  for (std::size_t i = 0; i < 2 * 19; ++i) EXPECT_EQ(two[i], one.values()[0]) << i;
  const UpdateRun empty = {two.data(), delta.data(), 0};
  updater->Update(&empty, 1, {2 * 19 * sizeof(float), 1, 0});
}

}  // namespace
}  // namespace ps

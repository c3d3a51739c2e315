#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/store/updater/rule_table.h"

namespace ps {
namespace {

TEST(RmsPropTest, DividesByTheRootOfTheMeanSquare) {
  RuleTable<double> table("rmsprop", {{"lr", "1"}, {"rho", "0.75"}, {"eps", "0"}}, {0});
  table.Add({2});
  EXPECT_EQ(table.state(0), std::vector<double>{1});
  EXPECT_EQ(table.values(), std::vector<double>{-2});
}

TEST(RmsPropCenteredTest, DividesByTheDeviation) {
  RuleTable<double> table("rmsprop_centered", {{"lr", "1"}, {"rho", "0.5"}, {"momentum", "0.5"}}, {0});
  table.Add({2});
  EXPECT_EQ(table.state(0), std::vector<double>{2});
  EXPECT_EQ(table.state(1), std::vector<double>{1});
  const double first = -2 / std::sqrt(2 - 1 + 1e-8);
  EXPECT_DOUBLE_EQ(table.values()[0], first);
  table.Add({-1});
  const double square = .5 * 2 + .5;
  const double mean = .5 - .5;
  const double velocity = .5 * first + 1 / std::sqrt(square - mean * mean + 1e-8);
  EXPECT_DOUBLE_EQ(table.state(2)[0], velocity);
  EXPECT_DOUBLE_EQ(table.values()[0], first + velocity);
}

TEST(RmsPropTest, TakesMxnetsNames) {
  EXPECT_TRUE(
      MakeUpdater("rmsprop_centered", {{"gamma1", ".8"}, {"gamma2", ".7"}, {"epsilon", "1e-7"}}, {}).ok());
}

}  // namespace
}  // namespace ps

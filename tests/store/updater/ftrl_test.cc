#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/store/updater/rule_table.h"

namespace ps {
namespace {

TEST(FtrlTest, BothSetsOfNamesAreOneRule) {
  RuleTable<float> mxnet("ftrl", {{"learning_rate", ".5"}, {"lamda1", ".25"}, {"wd", ".125"}}, {1, -1});
  RuleTable<float> osdi("ftrl", {{"alpha", ".5"}, {"lambda1", ".25"}, {"lambda2", ".125"}}, {1, -1});
  for (int k = 0; k < 5; ++k) {
    mxnet.Add({.5F, -2});
    osdi.Add({.5F, -2});
  }
  EXPECT_EQ(mxnet.block(), osdi.block());
}

// With eta = alpha / (sqrt(n) + beta): soft threshold of -z eta by lambda1 eta, divided by 1 + lambda2 eta.
TEST(FtrlTest, IsTheProximalStep) {
  RuleTable<double> table("ftrl", {{"alpha", ".5"}, {"lambda1", ".25"}, {"lambda2", ".125"}, {"beta", "2"}},
                          {0});
  for (const double gradient : {3., -2., 4., -9.}) {
    table.Add({gradient});
    const double z = table.state(0)[0];
    const double eta = .5 / (std::sqrt(table.state(1)[0]) + 2);
    const double shrunk = std::fmax(std::fabs(z * eta) - .25 * eta, 0) / (1 + .125 * eta);
    EXPECT_NEAR(table.values()[0], std::copysign(shrunk, -z), 1e-12);
  }
}

TEST(FtrlTest, WhatIsBelowTheThresholdIsExactlyZero) {
  RuleTable<float> table("ftrl", {{"lambda1", "1"}}, {5, 5});
  table.Add({.001F, 100});
  EXPECT_EQ(table.values()[0], 0);
  EXPECT_FALSE(std::signbit(table.values()[0]));
  EXPECT_NE(table.values()[1], 0);
}

TEST(FtrlTest, AtARateOfZeroNothingChanges) {
  RuleTable<float> table("ftrl", {{"lr_mult", "0"}}, {1, -2});
  table.Add({3, 3});
  EXPECT_EQ(table.block(), (std::vector<float>{1, -2, 0, 0, 0, 0}));
  EXPECT_FALSE(MakeUpdater("ftrl", {{"lr", "0"}}, {}).ok());
}

}  // namespace
}  // namespace ps

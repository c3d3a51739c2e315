#include "store/updater/gradient_options.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "tests/store/updater/rule_table.h"

namespace ps {
namespace {

// The value after one step from 1, of gradient `delta`, with lr 1.
double After(UpdaterOptions options, double delta) {
  RuleTable<double> table("sgd", options, {1});
  table.Add({delta});
  return table.values()[0];
}

TEST(GradientOptionsTest, RescalesThenClipsThenDecays) {
  EXPECT_EQ(After({}, 3), 1 - 3.);
  EXPECT_EQ(After({{"rescale", "0.5"}}, 3), 1 - 1.5);
  EXPECT_EQ(After({{"rescale", "0.5"}, {"clip", "1"}}, 3), 0);
  EXPECT_EQ(After({{"rescale_grad", "0.5"}, {"clip_gradient", "1"}}, -3), 2);
  EXPECT_EQ(After({{"rescale", "0.5"}, {"clip", "1"}, {"wd", "0.25"}}, 3), 1 - 1.25);
}

TEST(GradientOptionsTest, BelowZeroMeansNoClipping) { EXPECT_EQ(After({{"clip", "-1"}}, 1e30), 1 - 1e30); }

TEST(GradientOptionsTest, AClippedInfinityIsFiniteAndANanStaysOne) {
  EXPECT_EQ(After({{"clip", "2"}}, std::numeric_limits<double>::infinity()), -1);
  EXPECT_EQ(After({{"clip", "2"}}, -std::numeric_limits<double>::infinity()), 3);
  EXPECT_TRUE(std::isnan(After({{"clip", "2"}}, std::nan(""))));
}

TEST(GradientOptionsTest, TablesHaveMultipliersOfRateAndDecay) {
  EXPECT_EQ(After({{"lr_mult", "0.5"}}, 3), 1 - 1.5);
  EXPECT_EQ(After({{"wd", "0.5"}, {"wd_mult", "0"}}, 3), 1 - 3.);
  EXPECT_EQ(After({{"wd", "0.5"}, {"wd_mult", "2"}}, 3), 1 - 4.);
}

TEST(GradientOptionsTest, TheScheduleFollowsTheNumberOfTheUpdate) {
  RuleTable<double> table("sgd", {{"schedule", "factor"}, {"factor", "0.5"}}, {0});
  for (int k = 0; k < 3; ++k) table.Add({-1});
  EXPECT_EQ(table.values(), std::vector<double>{1.75});
}

TEST(GradientOptionsTest, ARefusedOptionChangesNothing) {
  RuleTable<double> table("sgd", {{"lr", "0.5"}}, {0});
  for (const UpdaterOptions& options : {UpdaterOptions{{"lr", "2"}, {"zz", "1"}},
                                        {{"clip", "1"}, {"wd", "x"}},
                                        {{"lr", "2"}, {"schedule", "multifactor"}}}) {
    EXPECT_EQ(table.updater().Configure(options).code(), StatusCode::kInvalidArgument);
  }
  table.Add({-4});
  EXPECT_EQ(table.values(), std::vector<double>{2});
}

TEST(GradientOptionsTest, OptionsMayChangeLater) {
  RuleTable<double> table("sgd", {{"lr", "0.5"}, {"clip", "1"}}, {0});
  table.Add({-4});
  ASSERT_TRUE(table.updater().Configure({{"lr", "2"}}).ok());
  table.Add({-4});
  EXPECT_EQ(table.values(), std::vector<double>{2.5});
}

}  // namespace
}  // namespace ps

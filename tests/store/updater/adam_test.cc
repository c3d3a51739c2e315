#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/store/updater/rule_table.h"

namespace ps {
namespace {

// With a constant gradient both moments, corrected, are it and its square.
TEST(AdamTest, StepsByTheRateWhateverTheGradientIs) {
  RuleTable<double> table("adam", {{"eps", "0"}}, {1, 1, 1});
  for (int t = 1; t <= 5; ++t) {
    table.Add({.5, 100, -1e-3});
    EXPECT_NEAR(table.values()[0], 1 - .001 * t, 1e-12);
    EXPECT_NEAR(table.values()[1], 1 - .001 * t, 1e-12);
    EXPECT_NEAR(table.values()[2], 1 + .001 * t, 1e-12);
  }
}

TEST(AdamTest, WeightDecayIsPartOfTheGradient) {
  RuleTable<double> decay("adam", {{"wd", "0.5"}}, {2});
  RuleTable<double> gradient("adam", {}, {2});
  decay.Add({3});
  gradient.Add({4});
  EXPECT_EQ(decay.block(), gradient.block());
}

TEST(AdamWTest, WeightDecayIsBesideTheGradient) {
  RuleTable<double> with("adamw", {{"wd", "0.5"}}, {2});
  RuleTable<double> without("adamw", {}, {2});
  with.Add({3});
  without.Add({3});
  EXPECT_EQ(with.state(0), without.state(0));
  const double rate = .001 * std::sqrt(1 - .999) / (1 - .9);
  EXPECT_DOUBLE_EQ(with.values()[0], without.values()[0] * (1 - .5 * rate));
}

// What a checkpoint keeps is all there is: V185.
TEST(AdamTest, GoesOnFromItsStatesAndCount) {
  RuleTable<float> unbroken("adam", {}, {1, 2});
  for (int t = 0; t < 4; ++t) unbroken.Add({.5F, -.25F});

  RuleTable<float> before("adam", {}, {1, 2});
  for (int t = 0; t < 3; ++t) before.Add({.5F, -.25F});
  std::vector<float> saved = before.block();
  const auto after = Make("adam");
  const std::vector<float> delta = {.5F, -.25F};
  const UpdateRun run = {saved.data(), delta.data(), 2};
  after->Update(&run, 1, {2 * sizeof(float), 4, 0});
  EXPECT_EQ(saved, unbroken.block());
}

TEST(AdamTest, ABetaOfOneIsRefused) {
  for (const char* name : {"beta1", "beta2"}) {
    const Status status = MakeUpdater("adam", {{name, "1"}}, {}).status();
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
    EXPECT_NE(status.message().find(name), std::string::npos);
  }
}

}  // namespace
}  // namespace ps

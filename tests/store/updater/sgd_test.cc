#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/store/updater/rule_table.h"

namespace ps {
namespace {

// tbl-vec-17.
TEST(SgdTest, SubtractsFromIntegersExactly) {
  RuleTable<std::int32_t> table("sgd", {}, {0, 10});
  table.Add({3, 3});
  EXPECT_EQ(table.values(), (std::vector<std::int32_t>{-3, 7}));
  RuleTable<std::uint8_t> small("sgd", {{"lr", "2"}}, {1});
  small.Add({2});
  EXPECT_EQ(small.values(), std::vector<std::uint8_t>{253});
}

TEST(SgdTest, IntegersTakeNothingThatIsNotExact) {
  for (const UpdaterOptions& options : {UpdaterOptions{{"lr", "0.1"}}, {{"wd", "1"}}, {{"clip", "1"}}}) {
    const Status status = MakeUpdater("sgd", options, {DType::kI64, 1}).status();
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
    EXPECT_NE(status.message().find("integers"), std::string::npos) << status;
  }
}

TEST(SgdTest, ByDefaultAContributionIsAStep) {
  RuleTable<float> table("sgd", {}, {0, 0});
  for (int k = 1; k <= 3; ++k) table.Add({.5F, -.25F});
  EXPECT_EQ(table.values(), (std::vector<float>{-1.5F, .75F}));
}

TEST(SgdTest, WeightsDecayByRateTimesThemselves) {
  RuleTable<double> table("sgd", {{"lr", "0.5"}, {"wd", "0.25"}}, {8});
  table.Add({2});
  EXPECT_EQ(table.values(), std::vector<double>{8 - .5 * (2 + .25 * 8)});
}

TEST(MomentumTest, VelocityIsKeptBesideTheValue) {
  RuleTable<double> table("momentum", {{"lr", "0.5"}, {"momentum", "0.5"}}, {0});
  table.Add({1});
  table.Add({1});
  EXPECT_EQ(table.state(0), std::vector<double>{-.75});
  EXPECT_EQ(table.values(), std::vector<double>{-1.25});
}

TEST(NagTest, LooksAheadByOneStepOfTheVelocity) {
  RuleTable<double> table("nag", {{"lr", "0.5"}, {"momentum", "0.5"}}, {0});
  table.Add({1});
  EXPECT_EQ(table.state(0), std::vector<double>{-.5});
  EXPECT_EQ(table.values(), std::vector<double>{-.75});
}

TEST(NagTest, WithoutMomentumAllAreTheSame) {
  const UpdaterOptions options = {{"lr", "0.5"}, {"wd", "0.125"}};
  UpdaterOptions without = options;
  without["momentum"] = "0";
  RuleTable<float> sgd("sgd", options, {1, 2});
  RuleTable<float> momentum("momentum", without, {1, 2});
  RuleTable<float> nag("nag", without, {1, 2});
  for (int k = 0; k < 4; ++k) {
    for (RuleTable<float>* table : {&sgd, &momentum, &nag}) table->Add({.3F, -.7F});
  }
  EXPECT_EQ(momentum.values(), sgd.values());
  EXPECT_EQ(nag.values(), sgd.values());
}

}  // namespace
}  // namespace ps

#include "store/table_rule.h"

#include <gtest/gtest.h>

#include <string>

namespace ps {
namespace {

constexpr int kWorkers = 2;

TableSpec Spec(DType dtype = DType::kF32) {
  TableSpec spec;
  spec.name = "w";
  spec.rows = 2;
  spec.dtype = dtype;
  return spec;
}

TableRule Rule(const std::string& name, const UpdaterOptions& options = {}) {
  return {{name, options}, false, {}};
}

// What a rule makes of values of 1, with contributions of 1: by it two rules are told apart.
float After(const TableRule& rule, int num_updates = 1) {
  const auto updater = rule.Make(Spec(), kWorkers).value();
  float block[4] = {1, 0, 0, 0};
  const float delta = 1;
  for (int i = 1; i <= num_updates; ++i) {
    const UpdateRun run{block, &delta, 1};
    UpdateContext context;
    context.state_step = sizeof(float);
    context.count = i;
    updater->Update(&run, 1, context);
  }
  return block[0];
}

TEST(TableRuleTest, BeginsAsTheTableIsMade) {
  TableSpec spec = Spec(DType::kF16);
  spec.updater = "sgd";
  spec.updater_options["lr"] = "2";
  spec.multi_precision = true;
  const TableRule rule = TableRule::Of(spec);
  EXPECT_EQ(rule.In(Spec(DType::kF16)), spec);
  EXPECT_TRUE(rule.Make(spec, kWorkers).ok());
}

TEST(TableRuleTest, WhatWasSetSinceHolds) {
  TableRule rule = Rule("sgd", {{"lr", "1"}});
  EXPECT_EQ(After(rule), 0);
  ASSERT_TRUE(rule.Set({{"lr", ".5"}}, Spec(), kWorkers).ok());
  EXPECT_EQ(After(rule), .5f);
  EXPECT_TRUE(rule.IsSameChoice(Rule("sgd", {{"lr", "1"}})));
  EXPECT_NE(rule, Rule("sgd", {{"lr", "1"}}));
}

TEST(TableRuleTest, AnOptionThatIsSetAgainAndAgainIsKeptOnce) {
  TableRule rule = Rule("sgd");
  for (int i = 1; i <= 1000; ++i)
    ASSERT_TRUE(rule.Set({{"lr", std::to_string(i)}, {"wd", "0"}}, Spec(), kWorkers).ok());
  ASSERT_TRUE(rule.Set({{"lr", ".25"}}, Spec(), kWorkers).ok());
  EXPECT_EQ(rule.since.size(), 1u);
  EXPECT_EQ(After(rule), .75f);
}

TEST(TableRuleTest, OfTwoNamesOfAnOptionTheLastOneHolds) {
  TableRule rule = Rule("sgd", {{"lr", "1"}});
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(rule.Set({{"rescale", "2"}}, Spec(), kWorkers).ok());
    ASSERT_TRUE(rule.Set({{"rescale_grad", "3"}}, Spec(), kWorkers).ok());
    EXPECT_EQ(After(rule), -2) << i;
    ASSERT_TRUE(rule.Set({{"rescale", "4"}}, Spec(), kWorkers).ok());
    EXPECT_EQ(After(rule), -3) << i;
  }
  EXPECT_LE(rule.since.size(), 2u);
}

TEST(TableRuleTest, OptionsThatAreRightOnlyTogetherStayTogether) {
  const UpdaterOptions both = {{"schedule", "multifactor"}, {"steps", "2"}};
  TableRule rule = Rule("sgd", {{"lr", ".5"}, {"factor", ".5"}});
  EXPECT_FALSE(rule.Set({{"schedule", "multifactor"}}, Spec(), kWorkers).ok()) << "it needs steps";
  ASSERT_TRUE(rule.Set(both, Spec(), kWorkers).ok());
  ASSERT_TRUE(rule.Set({{"steps", "3"}}, Spec(), kWorkers).ok());
  ASSERT_TRUE(rule.Set({{"wd", "0"}}, Spec(), kWorkers).ok());
  EXPECT_EQ(rule.since,
            (std::vector<UpdaterOptions>{{{"schedule", "multifactor"}, {"steps", "3"}, {"wd", "0"}}}));
  // What would leave a set without what it is right upon is added behind it.
  ASSERT_TRUE(rule.Set({{"schedule", "none"}, {"steps", ""}, {"wd", "0"}}, Spec(), kWorkers).ok());
  EXPECT_EQ(After(rule, 5), After(Rule("sgd", {{"lr", ".5"}}), 5));
}

TEST(TableRuleTest, WhatCannotBeIsRefusedAndNothingHasChanged) {
  TableRule rule = Rule("sgd", {{"lr", "1"}});
  const TableRule before = rule;
  const Status unknown = rule.Set({{"lr", "2"}, {"no_such", "1"}}, Spec(), kWorkers);
  EXPECT_EQ(unknown.code(), StatusCode::kInvalidArgument);
  EXPECT_NE(unknown.message().find("no_such"), std::string::npos);
  EXPECT_EQ(rule, before);
  EXPECT_EQ(Rule("no_such").Make(Spec(), kWorkers).status().code(), StatusCode::kNotFound);
  EXPECT_EQ(Rule("adam").Make(Spec(DType::kI32), kWorkers).status().code(), StatusCode::kInvalidArgument);
  TableRule masters = Rule("adam");
  masters.multi_precision = true;
  EXPECT_EQ(masters.Make(Spec(), kWorkers).status().code(), StatusCode::kInvalidArgument);
  TableSpec bsp = Spec();
  bsp.consistency = Consistency::Bsp();
  EXPECT_EQ(Rule(kNoUpdater).Make(bsp, kWorkers).status().code(), StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace ps

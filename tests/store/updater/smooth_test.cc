#include <gtest/gtest.h>

#include <vector>

#include "tests/store/updater/rule_table.h"

namespace ps {
namespace {

TEST(SmoothTest, SubtractsTheRunningMean) {
  RuleTable<double> table("smooth", {{"momentum", "0.75"}}, {0});
  table.Add({1});
  EXPECT_EQ(table.state(0), std::vector<double>{.25});
  table.Add({1});
  EXPECT_EQ(table.state(0), std::vector<double>{.4375});
  EXPECT_EQ(table.values(), std::vector<double>{-.6875});
}

TEST(SmoothTest, AMomentumAboveOneIsRefused) {
  for (const char* momentum : {"1.1", "-0.1"}) {
    const Status status = MakeUpdater("smooth", {{"momentum", momentum}}, {}).status();
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << momentum;
    EXPECT_NE(status.message().find("in [0, 1]"), std::string::npos) << status;
  }
}

}  // namespace
}  // namespace ps

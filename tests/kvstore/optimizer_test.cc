#include "kvstore/optimizer.h"

#include <gtest/gtest.h>

#include <string>

namespace ps {
namespace {

Optimizer Parsed(const std::string& text) { return ParseOptimizer(text).value(); }

TEST(OptimizerTest, SgdHasMxnetsRateAndItsMomentumIsARule) {
  EXPECT_EQ(Parsed("sgd").choice.name, "sgd");
  EXPECT_EQ(Parsed("sgd").choice.options.at("lr"), "0.1");
  EXPECT_EQ(Parsed("SGD lr=.5").choice.options.at("lr"), ".5");
  EXPECT_EQ(Parsed("sgd learning_rate=.5").choice.options.count("lr"), 0U);
  EXPECT_EQ(Parsed("sgd momentum=.9").choice.name, "momentum");
  EXPECT_EQ(Parsed("sgd momentum=0").choice.name, "sgd");
  EXPECT_EQ(Parsed("sgd momentum=0.0").choice.options.count("momentum"), 0U);
}

TEST(OptimizerTest, OthersKeepTheirOwn) {
  const Optimizer adam = Parsed("adam lr=1e-3 wd=.01");
  EXPECT_EQ(adam.choice.name, "adam");
  EXPECT_EQ(adam.choice.options, (UpdaterOptions{{"lr", "1e-3"}, {"wd", ".01"}}));
  EXPECT_FALSE(adam.multi_precision);
  EXPECT_EQ(Parsed("rmsprop centered=1").choice.name, "rmsprop_centered");
  EXPECT_EQ(Parsed("rmsprop centered=0").choice.name, "rmsprop");
}

TEST(OptimizerTest, WhatIsNotTheRulesIsTakenOut) {
  const Optimizer optimizer = Parsed("adam multi_precision=1 sparse=exact");
  EXPECT_TRUE(optimizer.multi_precision);
  EXPECT_TRUE(optimizer.is_exact);
  EXPECT_TRUE(optimizer.choice.options.empty());
  EXPECT_FALSE(Parsed("adam sparse=lazy").is_exact);
}

TEST(OptimizerTest, WrongOnesAreRefusedByName) {
  for (const char* wrong : {"", "adam lr", "adam multi_precision=maybe", "adam sparse=dense"})
    EXPECT_EQ(ParseOptimizer(wrong).status().code(), StatusCode::kInvalidArgument) << wrong;
  EXPECT_NE(ParseOptimizer("adam sparse=dense").status().message().find("lazy or exact"), std::string::npos);
}

TEST(OptimizerTest, EqualTextsAreEqual) {
  EXPECT_TRUE(Parsed("adam lr=1e-3 wd=0") == Parsed("adam  wd=0 lr=1e-3"));
  EXPECT_FALSE(Parsed("adam lr=1e-3") == Parsed("adam lr=1e-2"));
  EXPECT_FALSE(Parsed("adam") == Parsed("adam multi_precision=1"));
}

}  // namespace
}  // namespace ps

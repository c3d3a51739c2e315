#include "store/updater/options.h"

#include <gtest/gtest.h>

#include <string>

#include "store/updater/real.h"

namespace ps {
namespace {

struct First : dmlc::Parameter<First> {
  Real lr;
  int steps;

  DMLC_DECLARE_PARAMETER(First) {
    DMLC_DECLARE_FIELD(lr).set_default(.5).set_lower_bound(0).describe("not below 0");
    DMLC_DECLARE_FIELD(steps).set_default(3);
    DMLC_DECLARE_ALIAS(lr, learning_rate);
  }
};
DMLC_REGISTER_PARAMETER(First);

struct Second : dmlc::Parameter<Second> {
  int mode;

  DMLC_DECLARE_PARAMETER(Second) {
    DMLC_DECLARE_FIELD(mode).set_default(0).add_enum("slow", 0).add_enum("fast", 1);
  }
};
DMLC_REGISTER_PARAMETER(Second);

class OptionsTest : public ::testing::Test {
 protected:
  Status Set(const UpdaterOptions& options) {
    return SetOptions("rule", options, {OptionGroup::Of(&first_), OptionGroup::Of(&second_)});
  }
  std::string Refusal(const UpdaterOptions& options) {
    const Status status = Set(options);
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
    return status.message();
  }

  First first_ = DefaultOptions<First>();
  Second second_ = DefaultOptions<Second>();
};

TEST_F(OptionsTest, WhatIsNotNamedStaysAsItIs) {
  ASSERT_TRUE(Set({{"lr", "0.25"}, {"mode", "fast"}}).ok());
  EXPECT_EQ(first_.lr, .25);
  EXPECT_EQ(first_.steps, 3);
  ASSERT_TRUE(Set({{"steps", "7"}}).ok());
  EXPECT_EQ(first_.lr, .25);
  EXPECT_EQ(first_.steps, 7);
  EXPECT_EQ(second_.mode, 1);
}

TEST_F(OptionsTest, AnUnknownOptionIsAnsweredWithAllThereAre) {
  const std::string text = Refusal({{"lrr", "1"}});
  EXPECT_NE(text.find("updater 'rule' has no option 'lrr'"), std::string::npos) << text;
  for (const char* part : {"lr (number", "default=0.5", "steps (int", "mode (", "'fast', 'slow'"})
    EXPECT_NE(text.find(part), std::string::npos) << text;
}

TEST_F(OptionsTest, AWrongValueIsAnsweredWithItsOption) {
  for (const char* value : {"", "x", "1x", "-", "0.1f", "nan", "inf", "-inf", "1e999", "0x1", "1 2"}) {
    const std::string text = Refusal({{"lr", value}});
    EXPECT_NE(text.find("updater 'rule', option lr: "), std::string::npos) << text;
  }
  EXPECT_NE(Refusal({{"lr", "-1"}}).find("not below 0"), std::string::npos);
  EXPECT_NE(Refusal({{"steps", "1.5"}}).find("option steps"), std::string::npos);
  EXPECT_NE(Refusal({{"mode", "medium"}}).find("'fast', 'slow'"), std::string::npos);
}

TEST_F(OptionsTest, TextsHaveOneLine) {
  for (const UpdaterOptions& options : {UpdaterOptions{{"lr", "-1"}}, {{"lr", "x"}}, {{"mode", "medium"}}})
    EXPECT_EQ(Refusal(options).find('\n'), std::string::npos);
}

TEST_F(OptionsTest, TwoNamesOfOneOptionAreOneOption) {
  ASSERT_TRUE(Set({{"learning_rate", "0.125"}}).ok());
  EXPECT_EQ(first_.lr, .125);
  EXPECT_NE(Refusal({{"lr", "1"}, {"learning_rate", "2"}}).find("given twice"), std::string::npos);
}

TEST_F(OptionsTest, NumbersAreTheNearestToTheirText) {
  for (const double value :
       {.1, 1e-3, .30000000000000004, 1.2345678901234567e-7, 5e-324, 1.7976931348623157e308}) {
    char text[64];
    std::snprintf(text, sizeof text, "%.17g", value);
    ASSERT_TRUE(Set({{"lr", text}}).ok()) << text;
    EXPECT_EQ(first_.lr, value) << text;
  }
  ASSERT_TRUE(Set({{"lr", "+.5"}}).ok());
  EXPECT_EQ(first_.lr, .5);
}

}  // namespace
}  // namespace ps

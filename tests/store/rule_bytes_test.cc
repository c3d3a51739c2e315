#include "store/rule_bytes.h"

#include <gtest/gtest.h>

#include <string>

namespace ps {
namespace {

TableRule Rule() {
  return {{"adam", {{"lr", "1e-3"}, {"text with blanks", "a = b"}}}, true, {{{"lr", ".5"}}, {{"wd", "0"}}}};
}

TEST(RuleBytesTest, RulesRoundTrip) {
  for (const TableRule& rule : {Rule(), TableRule{{kNoUpdater, {}}, false, {}}}) {
    const Result<TableRule> again = DecodeRule(EncodeRule(rule));
    ASSERT_TRUE(again.ok()) << again.status();
    EXPECT_EQ(again.value(), rule);
  }
}

TEST(RuleBytesTest, ChangesRoundTrip) {
  const Result<RuleChange> rule = DecodeRuleChange(EncodeRuleChange({7, true, Rule(), {}, nullptr}));
  ASSERT_TRUE(rule.ok()) << rule.status();
  EXPECT_EQ(rule.value().round, 7u);
  EXPECT_TRUE(rule.value().is_rule);
  EXPECT_EQ(rule.value().rule, Rule());
  const Result<RuleChange> options =
      DecodeRuleChange(EncodeRuleChange({8, false, {}, {{"lr", "2"}}, nullptr}));
  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_FALSE(options.value().is_rule);
  EXPECT_EQ(options.value().options, (UpdaterOptions{{"lr", "2"}}));
}

TEST(RuleBytesTest, BytesThatAreNoRuleAreRefused) {
  for (const std::string& bytes : {std::string(), std::string("\xff\xff"), EncodeRule(Rule()).substr(0, 5)})
    EXPECT_EQ(DecodeRule(bytes).status().code(), StatusCode::kInvalidArgument) << bytes.size();
  TableRule many = Rule();
  many.since.assign(1001, {{"lr", "1"}});
  EXPECT_EQ(DecodeRule(EncodeRule(many)).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(DecodeRuleChange("\xff\xff").status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(DecodeRuleChange(EncodeRuleChange({1, true, {}, {}, nullptr})).status().code(),
            StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace ps

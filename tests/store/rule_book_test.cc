#include "store/rule_book.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace ps {
namespace {

TableRule Sgd(const std::string& lr) { return {{"sgd", {{"lr", lr}}}, false, {}}; }
TableRule Adam() { return {{"adam", {}}, false, {}}; }

TableSpec Spec() {
  TableSpec spec;
  spec.name = "w";
  spec.rows = 2;
  return spec;
}

class RuleBookTest : public testing::Test {
 protected:
  // What changes with a round, and what was refused.
  std::vector<RuleChange> Begin(std::uint64_t round) {
    refused_.clear();
    return book_.Begin(round, &refused_);
  }

  // Options for the next round, and it has begun.
  bool Set(std::uint64_t round, std::uint64_t next, const UpdaterOptions& options) {
    const Status set = book_.SetOptions(round, next, options);
    EXPECT_TRUE(set.ok()) << set;
    return !Begin(next).empty();
  }
  Status ReplaceFrom(std::uint64_t round, const TableRule& rule) {
    return book_.ReplaceFrom(round, rule, nullptr);
  }
  Status SetFrom(std::uint64_t round, const UpdaterOptions& options) {
    return book_.SetOptions(round, 1, options);
  }

  RuleBook book_{Spec(), 2, Sgd("1")};
  std::vector<Status> refused_;
};

TEST_F(RuleBookTest, TheSameRuleIsHeldWhateverWasSetSince) {
  EXPECT_TRUE(book_.Holds(Sgd("1"), 1));
  EXPECT_FALSE(book_.Holds(Sgd("2"), 1));
  EXPECT_FALSE(book_.Holds(Adam(), 1));
  EXPECT_TRUE(Set(0, 1, {{"lr", "7"}}));
  EXPECT_TRUE(book_.Holds(Sgd("1"), 1));
  EXPECT_EQ(book_.rule().since, (std::vector<UpdaterOptions>{{{"lr", "7"}}}));
}

TEST_F(RuleBookTest, ARuleHoldsFromItsRoundOn) {
  ASSERT_TRUE(ReplaceFrom(5, Adam()).ok());
  EXPECT_TRUE(book_.Holds(Sgd("1"), 4));
  EXPECT_TRUE(book_.Holds(Adam(), 5));
  EXPECT_TRUE(book_.Holds(Adam(), 9));
  EXPECT_TRUE(Begin(4).empty());
  EXPECT_EQ(book_.rule(), Sgd("1"));
  const std::vector<RuleChange> due = Begin(5);
  ASSERT_EQ(due.size(), 1u);
  EXPECT_TRUE(due[0].is_rule);
  EXPECT_EQ(book_.rule(), Adam());
  EXPECT_TRUE(book_.waiting().empty());
}

TEST_F(RuleBookTest, ARuleThatIsAskedForEarlierIsNoChangeWhereItHoldsAlready) {
  ASSERT_TRUE(ReplaceFrom(5, Adam()).ok());
  ASSERT_TRUE(ReplaceFrom(3, Adam()).ok()) << "a worker that is behind asks for the same";
  EXPECT_EQ(Begin(3).size(), 1u);
  EXPECT_TRUE(Set(4, 4, {{"beta1", ".5"}}));
  EXPECT_TRUE(Begin(5).empty());
  EXPECT_EQ(book_.rule().since.size(), 1u) << "what was set meanwhile stays";
}

TEST_F(RuleBookTest, OptionsAreForTheRuleOfTheirRound) {
  ASSERT_TRUE(ReplaceFrom(5, Adam()).ok());
  EXPECT_EQ(SetFrom(4, {{"beta1", ".5"}}).code(), StatusCode::kInvalidArgument);
  EXPECT_TRUE(SetFrom(5, {{"beta1", ".5"}}).ok());
  EXPECT_TRUE(SetFrom(4, {{"lr", "2"}}).ok());
  EXPECT_EQ(Begin(4).size(), 1u);
  EXPECT_EQ(book_.rule().since, (std::vector<UpdaterOptions>{{{"lr", "2"}}}));
  EXPECT_EQ(Begin(5).size(), 2u);
  EXPECT_EQ(book_.rule().since, (std::vector<UpdaterOptions>{{{"beta1", ".5"}}}));
}

TEST_F(RuleBookTest, OptionsFromNowOnGoWithARuleThatWaits) {
  ASSERT_TRUE(ReplaceFrom(5, Adam()).ok());
  EXPECT_FALSE(Set(0, 2, {{"beta1", ".5"}}));
  EXPECT_TRUE(Begin(4).empty());
  EXPECT_EQ(Begin(5).size(), 2u);
  EXPECT_EQ(book_.rule().since, (std::vector<UpdaterOptions>{{{"beta1", ".5"}}}));
}

TEST_F(RuleBookTest, OptionsThatWaitAreForTheRuleThatComesBetweenIfItHasThem) {
  ASSERT_TRUE(SetFrom(7, {{"lr", ".5"}}).ok());
  book_.Replace(Adam());
  EXPECT_EQ(Begin(7).size(), 1u);
  EXPECT_EQ(book_.rule().since, (std::vector<UpdaterOptions>{{{"lr", ".5"}}}));

  ASSERT_TRUE(SetFrom(9, {{"beta1", ".5"}}).ok());
  book_.Replace(Sgd("3"));
  EXPECT_TRUE(Begin(9).empty());
  ASSERT_EQ(refused_.size(), 1u);
  EXPECT_NE(refused_[0].message().find("beta1"), std::string::npos) << refused_[0];
  EXPECT_EQ(book_.rule(), Sgd("3"));
}

TEST_F(RuleBookTest, ChangesOfOneRoundHoldInTheOrderOfTheirComing) {
  ASSERT_TRUE(SetFrom(3, {{"lr", "2"}}).ok());
  ASSERT_TRUE(SetFrom(2, {{"wd", "1"}}).ok());
  ASSERT_TRUE(SetFrom(3, {{"lr", "4"}}).ok());
  EXPECT_EQ(Begin(3).size(), 3u);
  EXPECT_EQ(book_.rule().since, (std::vector<UpdaterOptions>{{{"lr", "4"}, {"wd", "1"}}}));
}

TEST_F(RuleBookTest, WhatWaitsGoesOnInAnotherBook) {
  ASSERT_TRUE(ReplaceFrom(5, Adam()).ok());
  ASSERT_TRUE(SetFrom(6, {{"lr", "2"}}).ok());
  RuleBook other(Spec(), 2, book_.rule());
  other.GoOnFrom(book_.waiting());
  std::vector<Status> refused;
  EXPECT_EQ(other.Begin(6, &refused).size(), 2u);
  EXPECT_EQ(other.rule().choice, Adam().choice);
  EXPECT_EQ(other.rule().since.size(), 1u);
}

TEST_F(RuleBookTest, WhatIsForRoundsThatDoNotComeIsBounded) {
  Status status;
  int count = 0;
  for (; status.ok() && count < 5000; ++count) status = SetFrom(1000, {{"lr", "2"}});
  EXPECT_EQ(status.code(), StatusCode::kResourceExhausted);
  EXPECT_EQ(count, 1001);
  EXPECT_EQ(ReplaceFrom(1000, Adam()).code(), StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace ps

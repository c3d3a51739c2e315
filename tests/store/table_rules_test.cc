#include "store/table_rules.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "store/rule_bytes.h"

namespace ps {
namespace {

// The rule of a table of two rows, everything on the thread of the test.
class TableRulesTest : public testing::Test {
 protected:
  void Make(const std::string& updater, const Consistency& consistency = Consistency::Bsp()) {
    spec_.name = "w";
    spec_.rows = 2;
    spec_.updater = updater;
    spec_.consistency = consistency;
    TableSlots::Place place;
    place.range = Range(0, 2);
    place.num_workers = 2;
    slots_ = TableSlots::Make(spec_, place).value();
    work_ = std::make_unique<TableWork>(&spec_, slots_.get(), &lanes_, nullptr);
    rules_ = std::make_unique<TableRules>(&spec_, work_.get(), RuleWork(slots_.get(), &lanes_), slots_.get(),
                                          TableRule::Of(spec_));
  }
  // The error of an operation, once it is answered.
  Status Ask(const Op& op, std::uint64_t next_round) {
    bool came = false;
    Status answer;
    const auto reply = std::make_shared<Reply>(1, [&](StoreAnswer&& from) {
      came = true;
      answer = from.replies[0].status;
    });
    const Status done = op.code == OpCode::kUpdater ? rules_->SetUpdater(op, next_round, reply, 0)
                                                    : rules_->SetOptions(op, next_round, *reply);
    if (!done.ok()) {
      reply->Fail(0, done);
      reply->Finish();
    }
    EXPECT_TRUE(came);
    return answer;
  }
  static Op Updater(const std::string& text, std::uint64_t round = 1, std::uint32_t parts = 0) {
    Op op;
    op.code = OpCode::kUpdater;
    op.text = EncodeRule({ParseUpdater(text).value(), false, {}});
    op.round = round;
    op.parts = parts;
    return op;
  }
  static Op Options(const std::string& text, std::uint64_t round) {
    Op op;
    op.code = OpCode::kOption;
    op.text = text;
    op.round = round;
    return op;
  }
  int NumStates() { return (*slots_)[0].updater->NumStates(); }

  TableSpec spec_;
  Executors executors_{0};
  TableLanes lanes_{&executors_};
  std::unique_ptr<TableSlots> slots_;
  std::unique_ptr<TableWork> work_;
  std::unique_ptr<TableRules> rules_;
};

TEST_F(TableRulesTest, TheSlotsHaveTheRuleFromItsRoundOn) {
  Make("add");
  EXPECT_TRUE(Ask(Updater("adam", 3), 1).ok());
  rules_->BeginRound(2);
  EXPECT_EQ(NumStates(), 0);
  rules_->BeginRound(3);
  EXPECT_EQ(NumStates(), 2);
  EXPECT_TRUE(Ask(Updater("momentum", 3), 3).ok());
  EXPECT_EQ(NumStates(), 1) << "the next round is its own";
  EXPECT_TRUE(Ask(Updater("adam", 3, 1), 3).ok()) << "its sender has begun round 3";
  EXPECT_EQ(NumStates(), 1);
  rules_->BeginRound(4);
  EXPECT_EQ(NumStates(), 2);
}

TEST_F(TableRulesTest, WithoutRoundsItHoldsAtOnceWhateverItsSenderHasSent) {
  Make("add", Consistency::Asp());
  EXPECT_TRUE(Ask(Updater("adam", 1000, 1), 1).ok());
  EXPECT_EQ(NumStates(), 2);
  EXPECT_TRUE(Ask(Options("lr=3", 1000), 1).ok());
  EXPECT_EQ(rules_->rule().since.size(), 1u);
}

TEST_F(TableRulesTest, AQuestionChangesNothing) {
  Make("add");
  Op op = Updater("adam");
  op.flags = Op::kAsk;
  EXPECT_TRUE(Ask(op, 1).ok());
  EXPECT_EQ(NumStates(), 0);
  EXPECT_EQ(rules_->rule(), TableRule::Of(spec_));
  op.text = EncodeRule({{"no_such", {}}, false, {}});
  EXPECT_EQ(Ask(op, 1).code(), StatusCode::kNotFound);
}

TEST_F(TableRulesTest, WhatIsNoRuleOrNoRoundIsRefused) {
  Make("add");
  Op op = Updater("adam");
  op.text = "\xff\xff";
  EXPECT_EQ(Ask(op, 1).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(Ask(Updater("adam", UINT64_MAX), 1).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(Ask(Updater(kNoUpdater), 1).code(), StatusCode::kInvalidArgument) << "not with BSP";
  EXPECT_EQ(NumStates(), 0);
}

TEST_F(TableRulesTest, WithoutARuleNothingMayBeAdded) {
  Make(kNoUpdater, Consistency::Asp());
  EXPECT_EQ(rules_->CheckMayAdd().code(), StatusCode::kFailedPrecondition);
  EXPECT_TRUE(Ask(Updater("add"), 1).ok());
  EXPECT_TRUE(rules_->CheckMayAdd().ok());
  EXPECT_TRUE(Ask(Updater(kNoUpdater), 1).ok()) << "it may be taken away again";
  EXPECT_FALSE(rules_->CheckMayAdd().ok());
}

TEST_F(TableRulesTest, WhatWaitsIsDescribedAndGoesOnElsewhere) {
  Make("add");
  EXPECT_TRUE(Ask(Updater("sgd lr=1", 1), 1).ok());
  EXPECT_TRUE(Ask(Options("lr=2", 0), 1).ok());
  EXPECT_TRUE(Ask(Updater("adam", 3), 1).ok());
  EXPECT_TRUE(Ask(Options("beta1=.5", 0), 1).ok());
  TableRecord record;
  record.spec = spec_;
  rules_->Describe(&record);
  EXPECT_EQ(record.rule.choice, ParseUpdater("sgd lr=1").value());
  EXPECT_EQ(record.rule.since, (std::vector<UpdaterOptions>{{{"lr", "2"}}}));
  EXPECT_EQ(record.num_states, 0);
  ASSERT_EQ(record.waiting.size(), 2u);
  const TableRecord again = DecodeTableRecord(EncodeTableRecord(record)).value();
  Make("add");
  ASSERT_TRUE(rules_->GoOnFrom(again.waiting).ok());
  rules_->BeginRound(3);
  EXPECT_EQ(NumStates(), 2);
  EXPECT_EQ(rules_->rule().choice, ParseUpdater("adam").value());
  EXPECT_EQ(rules_->rule().since, (std::vector<UpdaterOptions>{{{"beta1", ".5"}}}));
}

}  // namespace
}  // namespace ps

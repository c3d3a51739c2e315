#include "store/client_rule.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "store/rule_bytes.h"
#include "tests/support/fake_server_link.h"

namespace ps {
namespace {

// Answers what is waited for.
class PromptLink : public FakeServerLink {
 public:
  Status WaitUntil(const SentRequest& request, std::int64_t deadline_ms) override {
    Sent& asked = *sent.at(static_cast<std::size_t>(request.timestamp));
    if (!asked.done && outcome.ok()) {
      asked.Answer();
    } else if (!asked.done) {
      asked.End(outcome);
    }
    return FakeServerLink::WaitUntil(request, deadline_ms);
  }

  Status outcome;
};

// A table of 6 rows on two servers.
class ClientRuleTest : public testing::Test {
 protected:
  void Make(const Consistency& consistency, bool auto_close = true) {
    table_ = SixRowTable(link_, consistency, auto_close);
  }
  void Add() {
    const std::vector<float> values(6, 1);
    ClientTable::Call call;
    call.code = OpCode::kAdd;
    call.values = values.data();
    table_->Issue(call);
  }
  // What the n-th message that was sent asks of a server.
  const Op& Sent(std::size_t message, std::size_t server) {
    const ServerLink::Addressed& addressed = link_->sent.at(message)->requests.at(server);
    EXPECT_EQ(addressed.server, static_cast<int>(server));
    return addressed.request.ops.at(0);
  }

  std::shared_ptr<PromptLink> link_ = std::make_shared<PromptLink>();
  std::shared_ptr<ClientTable> table_;
};

TEST_F(ClientRuleTest, AllServersAreAskedBeforeAnyChanges) {
  Make(Consistency::Asp());
  const Ticket ticket = SetUpdater(*table_, {"adam", {{"lr", "1"}}}, true);
  ASSERT_EQ(link_->sent.size(), 2u);
  for (std::size_t server = 0; server < 2; ++server) {
    EXPECT_EQ(Sent(0, server).flags, Op::kAsk);
    EXPECT_EQ(Sent(1, server).flags, 0);
    for (std::size_t message = 0; message < 2; ++message) {
      EXPECT_EQ(Sent(message, server).code, OpCode::kUpdater);
      EXPECT_EQ(Sent(message, server).table, table_->id());
      EXPECT_EQ(DecodeRule(Sent(message, server).text).value(),
                (TableRule{{"adam", {{"lr", "1"}}}, true, {}}));
    }
  }
  EXPECT_FALSE(ticket.Done());
  ticket.Wait();
}

TEST_F(ClientRuleTest, WhatOneCannotHaveIsSentToNone) {
  Make(Consistency::Asp());
  link_->outcome = Status::NotFound("no such rule");
  const Ticket ticket = SetUpdater(*table_, {"adamm", {}}, false);
  EXPECT_TRUE(ticket.Done());
  EXPECT_EQ(ticket.WaitFor(std::chrono::milliseconds(0)).message(), "no such rule");
  EXPECT_EQ(link_->sent.size(), 1u);
}

TEST_F(ClientRuleTest, ItIsForTheRoundAfterThoseContributedTo) {
  Make(Consistency::Bsp());
  Add();
  Add();
  SetUpdater(*table_, {"adam", {}}, false);
  EXPECT_EQ(Sent(3, 0).round, 3u);
  EXPECT_EQ(Sent(3, 0).parts, 0u);
  SetUpdaterOptions(*table_, "lr=1", 7);
  EXPECT_EQ(Sent(4, 1).code, OpCode::kOption);
  EXPECT_EQ(Sent(4, 1).round, 7u);
  EXPECT_EQ(Sent(4, 1).since, 2u);
  EXPECT_EQ(Sent(4, 1).text, "lr=1");
}

TEST_F(ClientRuleTest, OptionsOfTheNextRoundHoldFromTheOneOnThatTheNextContributionIsOf) {
  Make(Consistency::Bsp(), false);
  SetUpdaterOptions(*table_, "lr=1", StoreTable::kNextRound);
  EXPECT_EQ(Sent(0, 1).round, 1u);
  Add();
  SetUpdaterOptions(*table_, "lr=2", StoreTable::kNextRound);
  EXPECT_EQ(Sent(2, 0).round, 1u) << "the round is open";
  table_->CloseRound();
  SetUpdaterOptions(*table_, "lr=3", StoreTable::kNextRound);
  EXPECT_EQ(Sent(4, 0).round, 2u);
}

TEST_F(ClientRuleTest, ARoundThatIsOpenIsStillOfTheRuleBefore) {
  Make(Consistency::Bsp(), false);
  Add();
  SetUpdater(*table_, {"adam", {}}, false);
  EXPECT_EQ(Sent(2, 0).round, 1u);
  EXPECT_EQ(Sent(2, 0).parts, 1u);
  table_->CloseRound();
  SetUpdater(*table_, {"sgd", {}}, false);
  EXPECT_EQ(Sent(5, 0).round, 2u);
  EXPECT_EQ(Sent(5, 0).parts, 0u);
}

}  // namespace
}  // namespace ps

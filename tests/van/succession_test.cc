#include "van/succession.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/mutex.h"
#include "message/node_id.h"

namespace ps {
namespace {

constexpr int64_t kParkMs = 10000;

class SuccessionTest : public testing::Test {
 protected:
  SuccessionTest() {
    for (int rank = 0; rank < 3; ++rank) succession_.SetMember(WorkerIdOfRank(rank), Member(rank));
    succession_.SetMember(8, Newcomer(1, Node::SERVER));
  }

  static Registration Newcomer(uint64_t incarnation, Node::Role role = Node::WORKER) {
    Registration registration;
    registration.node.role = role;
    registration.node.incarnation = incarnation;
    registration.node.hostname = "10.0.0.5";
    registration.node.port = 4711;
    return registration;
  }
  static Registration Member(int rank) {
    Registration registration = Newcomer(100 + static_cast<uint64_t>(rank));
    registration.node_key = "key" + std::to_string(rank);
    registration.node.port = 5000 + rank;
    registration.fixed_port = true;
    return registration;
  }
  static Registration Wishing(uint64_t incarnation, int rank) {
    Registration registration = Newcomer(incarnation);
    registration.rank_wish = rank;
    return registration;
  }

  std::vector<Succession::Outcome> Decide(int64_t now_ms) {
    probes_.clear();
    return succession_.Decide(now_ms, &probes_);
  }
  // The node whose place was given away, and nothing else was decided.
  int Place(int64_t now_ms) {
    const std::vector<Succession::Outcome> outcomes = Decide(now_ms);
    return outcomes.size() == 1 && !outcomes[0].was_alive ? outcomes[0].node : -1;
  }

  Succession succession_{kParkMs};
  std::vector<int> probes_;
};

TEST_F(SuccessionTest, WhoAsksForTheRankOfALostNodeGetsIt) {
  succession_.SetLost(9);
  succession_.SetLost(11);
  succession_.Register(Wishing(7, 1), 0);
  EXPECT_EQ(Place(0), 11);
  EXPECT_FALSE(succession_.IsWaiting(7));
}

TEST_F(SuccessionTest, WhoHasTheKeyOfALostNodeGetsItsPlace) {
  succession_.SetLost(9);
  succession_.SetLost(13);
  Registration newcomer = Newcomer(7);
  newcomer.node_key = "key2";
  succession_.Register(newcomer, 0);
  EXPECT_EQ(Place(0), 13);
}

TEST_F(SuccessionTest, TheNodesOfOneProcessShareItsKeyButNotTheirPlaces) {
  Registration second = Member(1);
  second.node_key = "key0";
  second.node.customer_id = 1;
  succession_.SetMember(11, second);
  succession_.SetLost(9);
  succession_.SetLost(11);
  Registration newcomer = Newcomer(7);
  newcomer.node_key = "key0";
  newcomer.node.customer_id = 1;
  succession_.Register(newcomer, 0);
  EXPECT_EQ(Place(0), 11);
}

TEST_F(SuccessionTest, WithoutAMatchTheLowestLostRankIsTaken) {
  succession_.SetLost(13);
  succession_.SetLost(11);
  succession_.SetLost(8);
  succession_.Register(Newcomer(7), 0);
  EXPECT_EQ(Place(0), 11);
}

TEST_F(SuccessionTest, WithoutAMatchTheRankOfAnEarlierJobComesFirst) {
  succession_.SetLost(9);
  succession_.SetLost(13);
  Registration newcomer = Newcomer(7);
  newcomer.previous_rank = 2;
  succession_.Register(newcomer, 0);
  EXPECT_EQ(Place(0), 13);
}

TEST_F(SuccessionTest, ALivingNodeIsAskedAndStaysWhenItAnswers) {
  succession_.Register(Wishing(7, 1), 1000);
  EXPECT_TRUE(Decide(1000).empty());
  EXPECT_EQ(probes_, (std::vector<int>{11}));
  for (int64_t now_ms = 1000; now_ms < 1000 + kParkMs; now_ms = succession_.NextDue()) {
    EXPECT_TRUE(Decide(now_ms).empty()) << now_ms;
    EXPECT_TRUE(now_ms == 1000 || probes_ == std::vector<int>{11}) << "it is asked again and again";
    succession_.Heard(11, now_ms + 5);
  }
  EXPECT_EQ(succession_.NextDue(), 1000 + kParkMs);
  const std::vector<Succession::Outcome> outcomes = Decide(1000 + kParkMs);
  ASSERT_EQ(outcomes.size(), 1u);
  EXPECT_EQ(outcomes[0].node, 0);
  EXPECT_EQ(outcomes[0].why.code(), StatusCode::kResourceExhausted);
  EXPECT_EQ(
      outcomes[0].why.message(),
      "the job already has its 3 workers; worker 1 (id 11, 10.0.0.5:5001) has the same rank, key or address "
      "(DMLC_RANK, PS_NODE_KEY, DMLC_PORT) and is alive");
  EXPECT_EQ(succession_.NextDue(), CondVar::kNever);
}

TEST_F(SuccessionTest, ALivingNodeThatDoesNotAnswerIsReplaced) {
  Registration newcomer = Newcomer(7);
  newcomer.node_key = "key1";
  succession_.Register(newcomer, 0);
  succession_.Heard(11, -1);
  EXPECT_TRUE(Decide(0).empty());
  EXPECT_TRUE(Decide(Succession::kProbeMs - 1).empty());
  const std::vector<Succession::Outcome> outcomes = Decide(Succession::kProbeMs);
  ASSERT_EQ(outcomes.size(), 1u);
  EXPECT_EQ(outcomes[0].node, 11);
  EXPECT_TRUE(outcomes[0].was_alive);
  EXPECT_EQ(succession_.registration(7).node_key, "key1");
}

TEST_F(SuccessionTest, WhatWasUnderWayWhenANodeDiedIsNoAnswerForLong) {
  succession_.Register(Wishing(7, 1), 0);
  EXPECT_TRUE(Decide(0).empty());
  succession_.Heard(11, 3);
  EXPECT_TRUE(Decide(Succession::kProbeMs + 2).empty());
  const std::vector<Succession::Outcome> outcomes = Decide(Succession::kProbeMs + 3);
  ASSERT_EQ(outcomes.size(), 1u);
  EXPECT_TRUE(outcomes[0].was_alive);
}

TEST_F(SuccessionTest, TheSameFixedAddressIsAMatchToo) {
  Registration newcomer = Newcomer(7);
  newcomer.node.port = 5002;
  succession_.Register(newcomer, 0);
  EXPECT_TRUE(Decide(0).empty());
  EXPECT_TRUE(probes_.empty()) << "the port was not chosen: chance";
  succession_.Forget(7);
  newcomer.fixed_port = true;
  succession_.Register(newcomer, 0);
  EXPECT_TRUE(Decide(0).empty());
  EXPECT_EQ(probes_, (std::vector<int>{13}));
}

TEST_F(SuccessionTest, ALossThatIsNoticedInTimeGivesAPlace) {
  succession_.Register(Newcomer(7), 0);
  EXPECT_TRUE(Decide(0).empty());
  succession_.SetLost(13);
  EXPECT_EQ(Place(kParkMs - 1), 13);
}

TEST_F(SuccessionTest, ASurplusNodeIsRefusedAfterAWhile) {
  succession_.Register(Newcomer(7), 0);
  succession_.Register(Newcomer(8, Node::SERVER), 1);
  EXPECT_TRUE(Decide(kParkMs - 1).empty());
  std::vector<Succession::Outcome> outcomes = Decide(kParkMs);
  ASSERT_EQ(outcomes.size(), 1u);
  EXPECT_EQ(outcomes[0].newcomer, 7u);
  EXPECT_EQ(outcomes[0].why.message(), "the job already has its 3 workers");
  outcomes = Decide(kParkMs + 1);
  ASSERT_EQ(outcomes.size(), 1u);
  EXPECT_EQ(outcomes[0].why.message(), "the job already has its 1 servers");
}

TEST_F(SuccessionTest, OnePlaceIsGivenAwayOnce) {
  succession_.SetLost(9);
  succession_.Register(Newcomer(7), 0);
  succession_.Register(Newcomer(8), 0);
  const std::vector<Succession::Outcome> outcomes = Decide(0);
  ASSERT_EQ(outcomes.size(), 1u);
  EXPECT_EQ(outcomes[0].newcomer, 7u) << "who came first";
  succession_.SetMember(9, Newcomer(7));
  EXPECT_TRUE(Decide(0).empty());
  EXPECT_TRUE(succession_.IsWaiting(8));
}

TEST_F(SuccessionTest, TheSuccessorOfASuccessorIsTreatedTheSame) {
  for (uint64_t incarnation = 7; incarnation < 12; ++incarnation) {
    succession_.SetLost(11);
    succession_.Register(Wishing(incarnation, 1), 0);
    EXPECT_EQ(Place(0), 11);
    succession_.SetMember(11, Wishing(incarnation, 1));
    succession_.Forget(incarnation);
  }
}

TEST_F(SuccessionTest, ThePlaceOfWhoLeftInOrderStaysEmpty) {
  succession_.SetLeft(11);
  succession_.Register(Wishing(7, 1), 0);
  EXPECT_TRUE(Decide(0).empty());
  EXPECT_TRUE(probes_.empty());
  EXPECT_EQ(Decide(kParkMs).at(0).node, 0);
}

TEST_F(SuccessionTest, ARepeatIsHarmlessAndNobodyIsRememberedForEver) {
  succession_.Register(Newcomer(7), 0);
  succession_.Register(Newcomer(7), 5000);
  EXPECT_EQ(Decide(kParkMs).size(), 1u) << "the first one counts";
  succession_.Register(Newcomer(9), 0);
  succession_.Forget(9);
  EXPECT_TRUE(Decide(10 * kParkMs).empty());
}

TEST_F(SuccessionTest, WhoWasAskedAndLeavesIsAskedNoMore) {
  succession_.Register(Wishing(7, 1), 0);
  EXPECT_TRUE(Decide(0).empty());
  succession_.SetLeft(11);
  EXPECT_TRUE(Decide(3000).empty());
  EXPECT_EQ(succession_.NextDue(), kParkMs) << "nothing is due before";
}

TEST_F(SuccessionTest, WhoWaitsIsBounded) {
  for (uint64_t incarnation = 1000; incarnation < 2024; ++incarnation) {
    ASSERT_TRUE(succession_.Register(Newcomer(incarnation), 0));
  }
  EXPECT_FALSE(succession_.Register(Newcomer(5000), 0));
  EXPECT_TRUE(succession_.Register(Newcomer(1000), 0)) << "a repeat";
}

TEST_F(SuccessionTest, AfterAStandstillTheLivingGetTheirTimeToAnswer) {
  succession_.Register(Wishing(7, 1), 0);
  EXPECT_TRUE(Decide(0).empty());
  succession_.AskAgain(5000);
  EXPECT_TRUE(Decide(5000).empty()) << "nobody has read what it has answered";
  succession_.Heard(11, 5001);
  EXPECT_TRUE(Decide(5001).empty());
}

TEST_F(SuccessionTest, AfterAStandstillThereIsTimeToNoticeALoss) {
  succession_.Register(Newcomer(7), 0);
  succession_.AskAgain(kParkMs - 1);
  EXPECT_TRUE(Decide(kParkMs).empty());
  EXPECT_EQ(succession_.NextDue(), 2 * kParkMs - 1);
  EXPECT_EQ(Decide(2 * kParkMs - 1).size(), 1u);
}

// PS_HEARTBEAT_TIMEOUT may be shorter than the time that a member has to answer.
TEST_F(SuccessionTest, NobodyIsRefusedBecauseOfAMemberThatHasNotAnsweredYet) {
  Succession succession(100);
  std::vector<int> probes;
  for (int rank = 0; rank < 2; ++rank) succession.SetMember(WorkerIdOfRank(rank), Member(rank));
  succession.Register(Wishing(7, 0), 0);
  succession.Register(Wishing(8, 1), 0);
  EXPECT_TRUE(succession.Decide(0, &probes).empty());
  succession.Heard(11, 50);
  const std::vector<Succession::Outcome> refused = succession.Decide(100, &probes);
  ASSERT_EQ(refused.size(), 1u) << "the one whose place is taken by a living node";
  EXPECT_EQ(refused[0].newcomer, 8u);
  EXPECT_EQ(succession.NextDue(), Succession::kAskEveryMs) << "not over and over until then";
  const std::vector<Succession::Outcome> outcomes = succession.Decide(Succession::kProbeMs, &probes);
  ASSERT_EQ(outcomes.size(), 1u);
  EXPECT_TRUE(outcomes[0].was_alive);
  EXPECT_EQ(outcomes[0].node, 9);
}

TEST_F(SuccessionTest, TheSuccessorIsNotBlamedForTheSilenceBeforeIt) {
  succession_.Register(Wishing(7, 1), 0);
  succession_.Register(Wishing(8, 1), 0);
  EXPECT_TRUE(Decide(0).empty());
  const std::vector<Succession::Outcome> outcomes = Decide(Succession::kProbeMs);
  ASSERT_EQ(outcomes.size(), 1u);
  EXPECT_EQ(outcomes[0].newcomer, 7u);
  succession_.SetLost(11);
  succession_.SetMember(11, Wishing(7, 1));
  EXPECT_TRUE(Decide(Succession::kProbeMs).empty()) << "it is asked afresh";
  EXPECT_EQ(probes_, (std::vector<int>{11}));
}

TEST_F(SuccessionTest, WithoutAWishANodeComesBackToThePlacesOfItsCustomerId) {
  Registration second = Member(2);
  second.node.customer_id = 1;
  succession_.SetMember(13, second);
  succession_.SetLost(9);
  succession_.SetLost(13);
  Registration newcomer = Newcomer(7);
  newcomer.node.customer_id = 1;
  succession_.Register(newcomer, 0);
  EXPECT_EQ(Place(0), 13);
}

}  // namespace
}  // namespace ps

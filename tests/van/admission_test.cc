#include "van/admission.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace ps {
namespace {

constexpr uint64_t kMine = 500;
using Verdict = Admission::Verdict;

Header From(uint32_t sender, uint64_t incarnation, uint64_t to = kMine) {
  Header header;
  header.kind = FrameKind::kData;
  header.sender = sender;
  header.sender_incarnation = incarnation;
  header.receiver_incarnation = to;
  return header;
}

Roster RosterOf(const std::vector<std::pair<int, uint64_t>>& nodes) {
  Roster roster;
  for (const auto& [id, incarnation] : nodes) {
    Node node;
    node.id = id;
    node.incarnation = incarnation;
    roster.nodes.push_back(node);
  }
  return roster;
}

void ExpectDropped(Admission* admission, const Header& header, Counter reason) {
  const Admission::Decision decision = admission->Judge(header);
  EXPECT_EQ(decision.verdict, Verdict::kDrop);
  EXPECT_EQ(decision.reason, reason);
}

TEST(AdmissionTest, AcceptsMembersOfTheRosterUnderTheirOwnId) {
  Admission admission(kMine);
  admission.SetRoster(RosterOf({{1, 100}, {8, 108}, {9, kMine}}));
  EXPECT_EQ(admission.Judge(From(8, 108)).verdict, Verdict::kAccept);
  EXPECT_EQ(admission.Judge(From(1, 100)).verdict, Verdict::kAccept);
  EXPECT_NE(admission.Judge(From(8, 100)).verdict, Verdict::kAccept);
  EXPECT_NE(admission.Judge(From(1, 108)).verdict, Verdict::kAccept);
}

TEST(AdmissionTest, HandshakesPass) {
  Admission admission(kMine);
  Header header = From(0, 0, 0);
  header.kind = FrameKind::kHandshake;
  EXPECT_EQ(admission.Judge(header).verdict, Verdict::kAccept);
}

TEST(AdmissionTest, BeforeTheRosterOnlyTheSchedulerIsHeardAndOthersAreParked) {
  Admission admission(kMine);
  EXPECT_EQ(admission.Judge(From(1, 100)).verdict, Verdict::kPark);
  admission.AdmitScheduler(100);
  EXPECT_EQ(admission.Judge(From(1, 100)).verdict, Verdict::kAccept);
  EXPECT_EQ(admission.Judge(From(8, 108)).verdict, Verdict::kPark);
  admission.SetRoster(RosterOf({{1, 100}, {8, 108}}));
  EXPECT_EQ(admission.Judge(From(8, 108)).verdict, Verdict::kAccept);
}

TEST(AdmissionTest, TheRosterOverrulesWhatAHandshakeSaid) {
  Admission admission(kMine);
  admission.AdmitScheduler(666);
  admission.SetRoster(RosterOf({{1, 100}}));
  ExpectDropped(&admission, From(1, 666), Counter::kRejectedStale);
  admission.AdmitScheduler(667);
  EXPECT_EQ(admission.Judge(From(1, 100)).verdict, Verdict::kAccept);
}

TEST(AdmissionTest, WhatIsMeantForAnotherIncarnationOfMineIsMisrouted) {
  Admission admission(kMine);
  admission.SetRoster(RosterOf({{1, 100}, {8, 108}}));
  ExpectDropped(&admission, From(8, 108, kMine - 1), Counter::kRejectedMisrouted);
  ExpectDropped(&admission, From(8, 108, 0), Counter::kRejectedMisrouted);
}

TEST(AdmissionTest, WhoKnowsNeitherMeNorTheRosterIsAStranger) {
  Admission admission(kMine);
  admission.SetRoster(RosterOf({{1, 100}, {8, 108}}));
  ExpectDropped(&admission, From(8, 1234, 0), Counter::kRejectedStranger);
  ExpectDropped(&admission, From(77, 1234, 1), Counter::kRejectedStranger);
  for (uint32_t id : {0u, 2u, 7u}) ExpectDropped(&admission, From(id, 108), Counter::kRejectedStranger);
  ExpectDropped(&admission, From(8, 0), Counter::kRejectedStranger);
}

TEST(AdmissionTest, ANodeNewerThanMyRosterIsParkedAndTheOneItReplacedIsFenced) {
  Admission admission(kMine);
  admission.SetRoster(RosterOf({{1, 100}, {8, 108}, {10, 110}}));
  EXPECT_EQ(admission.Judge(From(8, 208)).verdict, Verdict::kPark);
  admission.SetRoster(RosterOf({{1, 100}, {8, 208}}));
  EXPECT_EQ(admission.Judge(From(8, 208)).verdict, Verdict::kAccept);
  ExpectDropped(&admission, From(8, 108), Counter::kRejectedStale);
  ExpectDropped(&admission, From(10, 110), Counter::kRejectedStale);
}

TEST(AdmissionTest, AFencedIncarnationStaysOutAndTheNextOneComesIn) {
  Admission admission(kMine);
  const Roster roster = RosterOf({{1, 100}, {8, 108}});
  admission.SetRoster(roster);
  admission.Fence(8, 108);
  ExpectDropped(&admission, From(8, 108), Counter::kRejectedStale);
  admission.SetRoster(roster);
  ExpectDropped(&admission, From(8, 108), Counter::kRejectedStale);
  admission.SetRoster(RosterOf({{1, 100}, {8, 109}}));
  EXPECT_EQ(admission.Judge(From(8, 109)).verdict, Verdict::kAccept);
}

TEST(AdmissionTest, WhoWasDeclaredLostIsToldNowAndThen) {
  Admission admission(kMine);
  admission.SetRoster(RosterOf({{1, 100}, {8, 108}, {9, 109}}));
  EXPECT_FALSE(admission.TellsFenced(From(8, 108), 0)) << "it is a member";
  admission.Fence(8, 108);
  EXPECT_TRUE(admission.TellsFenced(From(8, 108), 1000));
  EXPECT_FALSE(admission.TellsFenced(From(8, 108), 1000 + Admission::kTellEveryMs - 1));
  admission.Fence(9, 109);
  EXPECT_TRUE(admission.TellsFenced(From(9, 109), 1001)) << "each has its own measure";
  admission.SetRoster(RosterOf({{1, 100}, {8, 208}}));
  EXPECT_TRUE(admission.TellsFenced(From(8, 108), 1000 + Admission::kTellEveryMs))
      << "also after it was replaced";
  EXPECT_FALSE(admission.TellsFenced(From(8, 208), 5000));
}

TEST(AdmissionTest, NobodyIsToldAnythingWhoWasNotDeclaredLostOrDoesNotKnowMe) {
  Admission admission(kMine);
  admission.SetRoster(RosterOf({{1, 100}, {8, 108}, {9, 109}}));
  admission.Fence(8, 108);
  EXPECT_FALSE(admission.TellsFenced(From(8, 108, kMine + 1), 0));
  EXPECT_FALSE(admission.TellsFenced(From(8, 777), 0)) << "a stranger that took its id";
  admission.SetRoster(RosterOf({{1, 100}, {8, 108}}));
  ExpectDropped(&admission, From(9, 109), Counter::kRejectedStale);
  EXPECT_FALSE(admission.TellsFenced(From(9, 109), 0))
      << "it is in the roster no more; of a loss nobody has spoken";
}

TEST(AdmissionTest, AFenceHoldsForItsNodeOnly) {
  Admission admission(kMine);
  admission.SetRoster(RosterOf({{1, 100}, {8, 108}, {9, 109}}));
  admission.Fence(9, 108);
  EXPECT_EQ(admission.Judge(From(8, 108)).verdict, Verdict::kAccept);
}

TEST(AdmissionTest, WhoWasAcceptedIsJudgedAnewWhenTheRulesChange) {
  const auto again = [](Admission* admission) {
    for (int i = 0; i < 2; ++i) EXPECT_EQ(admission->Judge(From(9, 109)).verdict, Verdict::kAccept);
  };
  Admission admission(kMine);
  admission.SetRoster(RosterOf({{1, 100}, {9, 109}, {73, 173}}));
  again(&admission);
  EXPECT_EQ(admission.Judge(From(73, 173)).verdict, Verdict::kAccept) << "it shares a place with 9";
  again(&admission);
  EXPECT_EQ(admission.Judge(From(9, 173)).verdict, Verdict::kPark);
  ExpectDropped(&admission, From(9, 109, kMine + 1), Counter::kRejectedMisrouted);
  again(&admission);
  admission.SetRoster(RosterOf({{1, 100}, {9, 209}}));
  ExpectDropped(&admission, From(9, 109), Counter::kRejectedStale);
  EXPECT_EQ(admission.Judge(From(9, 209)).verdict, Verdict::kAccept);
  admission.Fence(9, 209);
  ExpectDropped(&admission, From(9, 209), Counter::kRejectedStale);
}

}  // namespace
}  // namespace ps

#include <limits>

#include "tests/support/coordinator_fixture.h"

namespace ps {
namespace {

TEST_F(CoordinatorTest, ReleasesTheMembersWhenTheLastArrives) {
  RegisterAll();
  EXPECT_EQ(Arrive(9, kWorkers).log, (std::vector<std::string>{"Barrier count for 4 : 1"}));
  EXPECT_TRUE(Arrive(9, kWorkers).log.empty()) << "members are counted, not messages";
  EXPECT_TRUE(Arrive(11, kWorkers).releases.empty());
  const Coordinator::Output last = Arrive(13, kWorkers);
  EXPECT_EQ(last.log, (std::vector<std::string>{"Barrier count for 4 : 3"}));
  EXPECT_EQ(Released(last), (std::vector<int>{9, 11, 13}));
  EXPECT_EQ(last.releases[0].notice.code, StatusCode::kOk);
  EXPECT_EQ(last.releases[0].notice.round, 1u);
}

TEST_F(CoordinatorTest, RefusesWhoIsNoMember) {
  RegisterAll();
  const Coordinator::Output output = Arrive(8, kWorkers);
  EXPECT_EQ(Released(output), (std::vector<int>{8}));
  EXPECT_EQ(output.releases[0].notice.code, StatusCode::kInvalidArgument);
}

TEST_F(CoordinatorTest, TheDeadlineNamesWhoIsMissing) {
  RegisterAll(1000);
  Arrive(9, kWorkers, 1, 500, 1000);
  Arrive(13, kWorkers, 1, 800, 1100);
  coordinator_.Heard(11, 1100);
  EXPECT_EQ(coordinator_.NextDue(), 1250) << "a quarter of the heartbeat time-out comes first";
  EXPECT_TRUE(coordinator_.OnTimer(1499).releases.empty());
  EXPECT_EQ(coordinator_.NextDue(), 1500);
  const Coordinator::Output output = coordinator_.OnTimer(1500);
  EXPECT_EQ(Released(output), (std::vector<int>{9, 13}));
  EXPECT_EQ(output.releases[0].notice.code, StatusCode::kDeadlineExceeded);
  EXPECT_EQ(
      output.releases[0].notice.text,
      "barrier of group 4: 2 of 3 arrived, missing worker 1 (id 11, 10.0.0.5:4712, last heard 0.4 s ago)");
  EXPECT_TRUE(coordinator_.OnTimer(1600).releases.empty());
}

TEST_F(CoordinatorTest, TheDeadlineNamesAllWhoAreMissingAlsoTheScheduler) {
  RegisterAll(0);
  Arrive(9, kAll, 1, 100, 0);
  const Coordinator::Output output = coordinator_.OnTimer(200);
  ASSERT_EQ(output.releases.size(), 1u);
  EXPECT_EQ(output.releases[0].notice.text,
            "barrier of group 7: 1 of 5 arrived, missing scheduler (id 1, 10.0.0.1:8000), "
            "server 0 (id 8, 10.0.0.5:4711, last heard 0.2 s ago), "
            "worker 1 (id 11, 10.0.0.5:4712, last heard 0.2 s ago), "
            "worker 2 (id 13, 10.0.0.5:4713, last heard 0.2 s ago)");
}

TEST_F(CoordinatorTest, WithoutADeadlineABarrierWaitsAsLongAsAllLive) {
  RegisterAll();
  Arrive(9, kWorkers);
  for (int64_t now_ms = 0; now_ms < 100000; now_ms += 500) {
    for (int node : {8, 9, 11, 13}) coordinator_.Heard(node, now_ms);
    EXPECT_TRUE(coordinator_.OnTimer(now_ms).releases.empty());
  }
}

TEST_F(CoordinatorTest, ADeadlineBeyondAllTimesIsNone) {
  RegisterAll();
  Arrive(9, kWorkers, 1, std::numeric_limits<int64_t>::max(), 1000);
  for (int node : {8, 9, 11, 13}) coordinator_.Heard(node, 1000);
  EXPECT_TRUE(coordinator_.OnTimer(1001).releases.empty());
}

TEST_F(CoordinatorTest, ASilentNodeIsLostAndEndsItsBarriers) {
  RegisterAll();
  Arrive(9, kWorkers);
  Arrive(1, 3);
  const Coordinator::Output output = LoseWorker1();
  ASSERT_EQ(output.lost.size(), 1u);
  EXPECT_EQ(output.lost[0].node.id, 11);
  EXPECT_EQ(output.lost[0].why.message(),
            "worker 1 (id 11, 10.0.0.5:4712) is lost: silent for 1 s (PS_HEARTBEAT_TIMEOUT)");
  EXPECT_EQ(Released(output), (std::vector<int>{9})) << "the barrier of scheduler and servers goes on";
  EXPECT_EQ(output.releases[0].notice.code, StatusCode::kUnavailable);
  EXPECT_EQ(output.releases[0].notice.text, output.lost[0].why.message());
  EXPECT_EQ(coordinator_.Silent(100000, 1000), (std::vector<int>{11}));
  EXPECT_TRUE(coordinator_.OnTimer(1001).lost.empty()) << "it is lost once";
}

TEST_F(CoordinatorTest, WhoArrivesAfterALossIsToldAtOnce) {
  RegisterAll();
  ASSERT_EQ(LoseWorker1().lost.size(), 1u);
  EXPECT_EQ(Arrive(9, kWorkers).releases.at(0).notice.code, StatusCode::kUnavailable);
  coordinator_.OnLeave(13, "", 0);
  EXPECT_EQ(Arrive(9, kWorkers, 2).releases.at(0).notice.code, StatusCode::kUnavailable)
      << "also when the one lost is the only one missing";
}

TEST_F(CoordinatorTest, AnOrderlyLeaveCompletesWhatWaitedForIt) {
  RegisterAll();
  Arrive(9, kWorkers);
  Arrive(11, kWorkers);
  const Coordinator::Output output = coordinator_.OnLeave(13, "", 0);
  EXPECT_TRUE(output.lost.empty());
  EXPECT_EQ(Released(output), (std::vector<int>{9, 11}));
  EXPECT_EQ(output.releases[0].notice.code, StatusCode::kOk);
}

TEST_F(CoordinatorTest, InFinalizeTheLivingStillMeetBeforeTheyAreToldOfALoss) {
  RegisterAll();
  for (int node : {1, 9}) EXPECT_TRUE(coordinator_.OnBarrier(node, Final(), 0).releases.empty());
  EXPECT_TRUE(LoseWorker1().releases.empty());
  EXPECT_TRUE(coordinator_.OnBarrier(8, Final(), 1000).releases.empty());
  const Coordinator::Output last = coordinator_.OnBarrier(13, Final(), 1000);
  EXPECT_EQ(Released(last), (std::vector<int>{1, 8, 9, 13}));
  for (const Coordinator::Release& release : last.releases) {
    EXPECT_EQ(release.notice.code, StatusCode::kUnavailable) << "the job is not whole";
  }
}

TEST_F(CoordinatorTest, TheLastOneToArriveMayBeTheOneThatIsLost) {
  RegisterAll();
  for (int node : {1, 8, 9, 13}) coordinator_.OnBarrier(node, Final(), 0);
  const Coordinator::Output output = LoseWorker1();
  EXPECT_EQ(Released(output), (std::vector<int>{1, 8, 9, 13}));
  EXPECT_EQ(output.releases[0].notice.code, StatusCode::kUnavailable);
}

TEST_F(CoordinatorTest, ABarrierInTheMiddleIsNotMadeFinalByOneThatEnds) {
  RegisterAll();
  coordinator_.OnBarrier(9, Final(), 0);
  Arrive(13, kAll);
  EXPECT_EQ(Released(LoseWorker1()), (std::vector<int>{9, 13}));
}

TEST_F(WaitTest, ALostNodeKeepsItsPlaceInTheBarrier) {
  RegisterAll();
  for (int node : {9, 11}) Arrive(node, kWorkers);
  EXPECT_TRUE(LoseWorker1().releases.empty());
  EXPECT_TRUE(Arrive(13, kWorkers).releases.empty());
  coordinator_.OnRegister(Newcomer(), "path", 1500);
  EXPECT_EQ(Released(Arrive(11, kWorkers)), (std::vector<int>{9, 11, 13}))
      << "the old one's arrival does not count for the new one";
}

TEST_F(WaitTest, TheDeadlineOfABarrierNamesTheLostNode) {
  RegisterAll();
  Arrive(9, kWorkers, 1, 5000);
  Arrive(13, kWorkers, 1, 5000);
  LoseWorker1();
  for (int node : {8, 9, 13}) coordinator_.Heard(node, 4900);
  const Coordinator::Output output = coordinator_.OnTimer(5000);
  EXPECT_EQ(Released(output), (std::vector<int>{9, 13}));
  EXPECT_EQ(output.releases[0].notice.text,
            "barrier of group 4: 2 of 3 arrived, missing worker 1 (id 11, 10.0.0.5:4712, lost)");
}

TEST_F(WaitTest, FinalizeDoesNotWaitForEverForWhoIsLost) {
  RegisterAll();
  for (int node : {1, 8, 9}) coordinator_.OnBarrier(node, Final(), 0);
  LoseWorker1();
  EXPECT_TRUE(coordinator_.OnBarrier(13, Final(), 1000).releases.empty());
  for (int64_t now_ms = 1500; now_ms < 61000; now_ms += 100) {
    for (int node : {8, 9, 13}) coordinator_.Heard(node, now_ms);
    ASSERT_TRUE(coordinator_.OnTimer(now_ms).releases.empty()) << now_ms;
  }
  EXPECT_EQ(Released(coordinator_.OnTimer(61000)), (std::vector<int>{1, 8, 9, 13}));
}

TEST_F(WaitTest, FinalizeWaitsAgainWithoutADeadlineOnceTheLostNodeIsBack) {
  RegisterAll();
  for (int node : {1, 8, 9, 13}) coordinator_.OnBarrier(node, Final(), 0);
  LoseWorker1();
  coordinator_.OnRegister(Newcomer(), "path", 1500);
  for (int64_t now_ms = 1600; now_ms < 100000; now_ms += 100) {
    for (int node : {8, 9, 11, 13}) coordinator_.Heard(node, now_ms);
    ASSERT_TRUE(coordinator_.OnTimer(now_ms).releases.empty()) << now_ms;
  }
  const Coordinator::Output output = coordinator_.OnBarrier(11, Final(), 100000);
  EXPECT_EQ(Released(output), (std::vector<int>{1, 8, 9, 11, 13}));
  EXPECT_EQ(output.releases[0].notice.code, StatusCode::kOk);
}

TEST_F(ShrinkTest, TheGroupGoesOnWithoutALostWorker) {
  RegisterAll();
  for (int node : {9, 13}) Arrive(node, kWorkers);
  const Coordinator::Output output = LoseWorker1();
  ASSERT_EQ(output.lost.size(), 1u);
  EXPECT_EQ(Released(output), (std::vector<int>{9, 13}));
  EXPECT_EQ(output.releases[0].notice.code, StatusCode::kOk);
  EXPECT_TRUE(output.new_roster);
  EXPECT_EQ(coordinator_.membership().roster().Find(11), nullptr);
  Arrive(9, kWorkers, 2);
  EXPECT_EQ(Released(Arrive(13, kWorkers, 2)), (std::vector<int>{9, 13}));
}

TEST_F(ShrinkTest, ALostServerIsNotDoneWithout) {
  RegisterAll();
  for (int node : {1, 9}) Arrive(node, kAll);
  const Coordinator::Output output = coordinator_.OnLeave(8, "lost its power", 0);
  EXPECT_EQ(Released(output), (std::vector<int>{1, 9}));
  EXPECT_EQ(output.releases[0].notice.code, StatusCode::kUnavailable);
}

TEST_F(ShrinkTest, AWorkerThatComesBackMakesTheGroupWhole) {
  RegisterAll();
  LoseWorker1();
  EXPECT_TRUE(coordinator_.OnRegister(Newcomer(), "path", 1500).new_roster);
  ASSERT_NE(coordinator_.membership().roster().Find(11), nullptr);
  for (int node : {9, 13}) EXPECT_TRUE(Arrive(node, kWorkers).releases.empty());
  EXPECT_EQ(Released(Arrive(11, kWorkers)), (std::vector<int>{9, 11, 13}));
}

}  // namespace
}  // namespace ps

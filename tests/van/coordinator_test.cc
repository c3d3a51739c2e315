#include "van/coordinator.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/mutex.h"
#include "base/version.h"
#include "message/node_id.h"

namespace ps {
namespace {

constexpr int kWorkers = 4;
constexpr int kAll = 7;

class CoordinatorTest : public testing::Test {
 protected:
  static Node Scheduler() {
    Node node;
    node.role = Node::SCHEDULER;
    node.id = kSchedulerId;
    node.hostname = "10.0.0.1";
    node.port = 8000;
    node.incarnation = 1;
    return node;
  }

  static Registration RegistrationOf(Node::Role role, int rank) {
    Registration registration;
    registration.node.role = role;
    registration.node.hostname = "10.0.0.5";
    registration.node.port = 4711 + rank;
    registration.node.incarnation = 100 + 10 * static_cast<uint64_t>(role) + static_cast<uint64_t>(rank);
    registration.num_workers = 3;
    registration.num_servers = 1;
    registration.protocol = kProtocolVersion;
    registration.rank_wish = rank;
    return registration;
  }

  Coordinator::Output Register(Node::Role role, int rank, int64_t now_ms = 0) {
    return coordinator_.OnRegister(RegistrationOf(role, rank), "path" + std::to_string(rank), now_ms);
  }
  void RegisterAll(int64_t now_ms = 0) {
    for (int rank = 0; rank < 3; ++rank) Register(Node::WORKER, rank, now_ms);
    ASSERT_TRUE(Register(Node::SERVER, 0, now_ms).complete);
  }
  Coordinator::Output Arrive(int node, int group, uint64_t round = 1, int64_t timeout_ms = 0,
                             int64_t now_ms = 0) {
    BarrierNotice notice;
    notice.group = group;
    notice.round = round;
    notice.timeout_ms = timeout_ms;
    return coordinator_.OnBarrier(node, notice, now_ms);
  }
  static std::vector<int> Released(const Coordinator::Output& output) {
    std::vector<int> nodes;
    for (const Coordinator::Release& release : output.releases) nodes.push_back(release.node);
    return nodes;
  }

  Coordinator coordinator_{3, 1, ClusterSettings{100, 1000, OnNodeLost::kFail}, Scheduler(), 5};
};

TEST_F(CoordinatorTest, TellsApplicantsWhoIsThereUntilAllAre) {
  const Coordinator::Output first = Register(Node::WORKER, 0);
  ASSERT_EQ(first.answers.size(), 1u);
  EXPECT_EQ(first.answers[0].to, "path0");
  EXPECT_EQ(first.answers[0].step, HandshakeStep::kWaiting);
  EXPECT_EQ(first.answers[0].applicant, RegistrationOf(Node::WORKER, 0).node.incarnation);
  EXPECT_EQ(first.answers[0].notice.text, "workers 1/3 (10.0.0.5:4711), servers 0/1");
  EXPECT_FALSE(first.complete);
  EXPECT_FALSE(coordinator_.complete());
  EXPECT_FALSE(Register(Node::WORKER, 0).complete) << "a repeat counts once";
  Register(Node::WORKER, 1);
  Register(Node::WORKER, 2);
  EXPECT_TRUE(Register(Node::SERVER, 0).complete);
  EXPECT_EQ(coordinator_.roster().nodes.size(), 5u);
  EXPECT_FALSE(Register(Node::SERVER, 0).complete) << "the roster is made once";
}

TEST_F(CoordinatorTest, RefusesASurplusNodeWhileTheOthersGoOn) {
  Register(Node::SERVER, 0);
  const Coordinator::Output output = Register(Node::SERVER, 1);
  ASSERT_EQ(output.answers.size(), 1u);
  EXPECT_EQ(output.answers[0].step, HandshakeStep::kReject);
  EXPECT_EQ(output.answers[0].notice.code, StatusCode::kResourceExhausted);
  EXPECT_EQ(output.answers[0].notice.text, "the job already has its 1 servers");
  for (int rank = 0; rank < 2; ++rank) Register(Node::WORKER, rank);
  EXPECT_TRUE(Register(Node::WORKER, 2).complete);
}

TEST_F(CoordinatorTest, AFailedStartTellsEverybodyWhoRegistered) {
  Register(Node::WORKER, 0);
  Register(Node::WORKER, 1);
  const Coordinator::Output output = coordinator_.OnStartFailed("gave up");
  ASSERT_EQ(output.answers.size(), 2u);
  for (const Coordinator::Answer& answer : output.answers) {
    EXPECT_EQ(answer.step, HandshakeStep::kReject);
    EXPECT_EQ(answer.notice.code, StatusCode::kDeadlineExceeded);
    EXPECT_EQ(answer.notice.text, "gave up");
    EXPECT_NE(answer.applicant, 0u);
  }
}

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
  EXPECT_EQ(coordinator_.NextDue(1100), 1350) << "a quarter of the heartbeat time-out comes first";
  EXPECT_TRUE(coordinator_.OnTimer(1499).releases.empty());
  EXPECT_EQ(coordinator_.NextDue(1499), 1500);
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

TEST_F(CoordinatorTest, ASilentNodeIsLostAndEndsItsBarriers) {
  RegisterAll();
  Arrive(9, kWorkers);
  Arrive(1, 3);
  for (int node : {8, 9, 13}) coordinator_.Heard(node, 900);
  const Coordinator::Output output = coordinator_.OnTimer(1000);
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
  for (int node : {8, 9, 13}) coordinator_.Heard(node, 900);
  ASSERT_EQ(coordinator_.OnTimer(1000).lost.size(), 1u);
  EXPECT_EQ(Arrive(9, kWorkers).releases.at(0).notice.code, StatusCode::kUnavailable);
  coordinator_.OnLeave(13, "");
  EXPECT_EQ(Arrive(9, kWorkers, 2).releases.at(0).notice.code, StatusCode::kUnavailable)
      << "also when the one lost is the only one missing";
}

TEST_F(CoordinatorTest, AnOrderlyLeaveCompletesWhatWaitedForIt) {
  RegisterAll();
  Arrive(9, kWorkers);
  Arrive(11, kWorkers);
  const Coordinator::Output output = coordinator_.OnLeave(13, "");
  EXPECT_TRUE(output.lost.empty());
  EXPECT_EQ(Released(output), (std::vector<int>{9, 11}));
  EXPECT_EQ(output.releases[0].notice.code, StatusCode::kOk);
}

TEST_F(CoordinatorTest, ALeaveWithAReasonIsALoss) {
  RegisterAll();
  Arrive(9, kWorkers);
  const Coordinator::Output output = coordinator_.OnLeave(13, "ended without Finalize");
  ASSERT_EQ(output.lost.size(), 1u);
  EXPECT_EQ(output.lost[0].why.message(), "worker 2 (id 13, 10.0.0.5:4713) ended without Finalize");
  EXPECT_EQ(output.releases.at(0).notice.text, output.lost[0].why.message());
  EXPECT_TRUE(coordinator_.OnLeave(13, "again").lost.empty());
}

TEST_F(CoordinatorTest, KnowsWhenEverybodyIsGone) {
  RegisterAll();
  for (int node : {8, 9, 11}) coordinator_.OnLeave(node, "");
  EXPECT_FALSE(coordinator_.AllGone());
  coordinator_.OnLeave(13, "lost its power");
  EXPECT_TRUE(coordinator_.AllGone());
  EXPECT_EQ(coordinator_.NextDue(0), CondVar::kNever);
}

TEST_F(CoordinatorTest, WithHeartbeatsOffNobodyIsLost) {
  Coordinator quiet(0, 1, ClusterSettings{0, 1000, OnNodeLost::kFail}, Scheduler(), 5);
  Registration registration = RegistrationOf(Node::SERVER, 0);
  registration.num_workers = 0;
  ASSERT_TRUE(quiet.OnRegister(registration, "path", 0).complete);
  EXPECT_TRUE(quiet.OnTimer(1000000).lost.empty());
  EXPECT_EQ(quiet.NextDue(0), CondVar::kNever);
}

}  // namespace
}  // namespace ps

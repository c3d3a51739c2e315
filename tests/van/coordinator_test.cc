#include "tests/support/coordinator_fixture.h"

namespace ps {
namespace {

TEST_F(CoordinatorTest, TellsApplicantsWhoIsThereUntilAllAre) {
  const Coordinator::Output first = Register(Node::WORKER, 0);
  ASSERT_EQ(first.answers.size(), 1u);
  EXPECT_EQ(first.answers[0].to, "path0");
  EXPECT_EQ(first.answers[0].step, HandshakeStep::kWaiting);
  EXPECT_EQ(first.answers[0].applicant, RegistrationOf(Node::WORKER, 0).node.incarnation);
  EXPECT_EQ(first.answers[0].notice.text, "workers 1/3 (10.0.0.5:4711), missing ranks 1, 2, servers 0/1");
  EXPECT_FALSE(first.new_roster);
  EXPECT_FALSE(coordinator_.membership().complete());
  EXPECT_FALSE(Register(Node::WORKER, 0).new_roster) << "a repeat counts once";
  Register(Node::WORKER, 1);
  Register(Node::WORKER, 2);
  EXPECT_TRUE(Register(Node::SERVER, 0).new_roster);
  EXPECT_EQ(coordinator_.membership().roster().nodes.size(), 5u);
  EXPECT_FALSE(Register(Node::SERVER, 0).new_roster) << "the roster is made once";
}

TEST_F(CoordinatorTest, RefusesASurplusNodeWhileTheOthersGoOn) {
  Register(Node::SERVER, 0);
  const Coordinator::Output output = Register(Node::SERVER, 1);
  ASSERT_EQ(output.answers.size(), 1u);
  EXPECT_EQ(output.answers[0].step, HandshakeStep::kReject);
  EXPECT_EQ(output.answers[0].notice.code, StatusCode::kResourceExhausted);
  EXPECT_EQ(output.answers[0].notice.text, "the job already has its 1 servers");
  for (int rank = 0; rank < 2; ++rank) Register(Node::WORKER, rank);
  EXPECT_TRUE(Register(Node::WORKER, 2).new_roster);
}

TEST_F(CoordinatorTest, AFailedStartTellsEverybodyWhoRegistered) {
  Register(Node::WORKER, 0);
  Register(Node::WORKER, 1);
  const Coordinator::Output output = coordinator_.OnEnd("gave up");
  ASSERT_EQ(output.answers.size(), 2u);
  for (const Coordinator::Answer& answer : output.answers) {
    EXPECT_EQ(answer.step, HandshakeStep::kReject);
    EXPECT_EQ(answer.notice.code, StatusCode::kDeadlineExceeded);
    EXPECT_EQ(answer.notice.text, "gave up");
    EXPECT_NE(answer.applicant, 0u);
  }
}

constexpr char kEnded[] =
    "the job of the scheduler (id 1, 10.0.0.1:8000) has ended; waiting for the next one";

// A process that starts again may be there before the scheduler has left the job before.
TEST_F(CoordinatorTest, WhoComesForTheNextJobIsLeftWaitingForIt) {
  RegisterAll();
  const Coordinator::Output early = coordinator_.OnRegister(Newcomer(900), "early", 0);
  EXPECT_EQ(early.answers.at(0).step, HandshakeStep::kWaiting);
  const Coordinator::Output ended = coordinator_.OnEnd("the end");
  ASSERT_EQ(ended.answers.size(), 1u);
  EXPECT_EQ(ended.answers[0].to, "early");
  EXPECT_EQ(ended.answers[0].step, HandshakeStep::kWaiting);
  EXPECT_EQ(ended.answers[0].notice.text, kEnded);
  EXPECT_TRUE(coordinator_.OnTimer(100000).answers.empty()) << "nobody waits for a place of this job";
  const Coordinator::Output late = coordinator_.OnRegister(Newcomer(901), "late", 100000);
  ASSERT_EQ(late.answers.size(), 1u);
  EXPECT_EQ(late.answers[0].step, HandshakeStep::kWaiting);
  EXPECT_EQ(late.answers[0].notice.text, kEnded);
  EXPECT_FALSE(late.new_roster);
}

TEST_F(CoordinatorTest, TheJobHasEndedOnceTheBarrierOfFinalizeIsPassed) {
  RegisterAll();
  for (int node : {1, 8, 9, 11, 13}) Arrive(node, kAll, 1);
  EXPECT_NE(coordinator_.OnRegister(Newcomer(900), "early", 0).answers.at(0).notice.text.find("already has"),
            std::string::npos)
      << "the barrier of Start ends nothing";
  for (int node : {1, 8, 9, 11}) coordinator_.OnBarrier(node, Final(2), 0);
  const Coordinator::Output passed = coordinator_.OnBarrier(13, Final(2), 0);
  ASSERT_EQ(passed.releases.size(), 5u);
  ASSERT_EQ(passed.answers.size(), 1u);
  EXPECT_EQ(passed.answers[0].step, HandshakeStep::kWaiting);
  coordinator_.OnLeave(11, "", 0);
  const Coordinator::Output late = coordinator_.OnRegister(Newcomer(901), "late", 100000);
  EXPECT_EQ(late.answers.at(0).notice.text, kEnded);
}

TEST_F(CoordinatorTest, ALeaveWithAReasonIsALoss) {
  RegisterAll();
  Arrive(9, kWorkers);
  const Coordinator::Output output = coordinator_.OnLeave(13, "ended without Finalize", 0);
  ASSERT_EQ(output.lost.size(), 1u);
  EXPECT_EQ(output.lost[0].why.message(), "worker 2 (id 13, 10.0.0.5:4713) ended without Finalize");
  EXPECT_EQ(output.releases.at(0).notice.text, output.lost[0].why.message());
  EXPECT_TRUE(coordinator_.OnLeave(13, "again", 0).lost.empty());
}

TEST_F(CoordinatorTest, KnowsWhenEverybodyIsGone) {
  RegisterAll();
  for (int node : {8, 9, 11}) coordinator_.OnLeave(node, "", 0);
  EXPECT_FALSE(coordinator_.AllGone());
  coordinator_.OnLeave(13, "lost its power", 0);
  EXPECT_TRUE(coordinator_.AllGone());
  EXPECT_EQ(coordinator_.NextDue(), CondVar::kNever);
}

TEST_F(CoordinatorTest, WithHeartbeatsOffNobodyIsLost) {
  Coordinator quiet(0, 1, ClusterSettings{0, 1000, OnNodeLost::kFail}, Scheduler(), 5);
  Registration registration = RegistrationOf(Node::SERVER, 0);
  registration.num_workers = 0;
  ASSERT_TRUE(quiet.OnRegister(registration, "path", 0).new_roster);
  EXPECT_TRUE(quiet.OnTimer(1000000).lost.empty());
  EXPECT_EQ(quiet.NextDue(), CondVar::kNever);
}

TEST_F(CoordinatorTest, ANewProcessTakesThePlaceOfALostOne) {
  RegisterAll();
  for (int node : {1, 8, 9, 11, 13}) Arrive(node, kAll);
  ASSERT_EQ(LoseWorker1().lost.size(), 1u);
  const uint64_t epoch = coordinator_.membership().roster().epoch;
  const Coordinator::Output output = coordinator_.OnRegister(Newcomer(), "new path", 1500);
  EXPECT_TRUE(output.new_roster);
  ASSERT_EQ(output.answers.size(), 1u);
  EXPECT_EQ(output.answers[0].step, HandshakeStep::kWaiting);
  ASSERT_EQ(output.log.size(), 1u);
  EXPECT_EQ(output.log[0].find("replace dead node role=worker, id=11, ip=10.0.0.5, port=4712"), 0u)
      << output.log[0];
  const Node& node = *coordinator_.membership().roster().Find(11);
  EXPECT_EQ(node.incarnation, 900u);
  EXPECT_EQ(node.hostname, "10.0.0.77");
  EXPECT_TRUE(node.is_recovery);
  EXPECT_GT(coordinator_.membership().roster().epoch, epoch);
  EXPECT_TRUE(coordinator_.Silent(100000, 1500).empty());
  for (int member : {9, 13}) Arrive(member, kWorkers);
  EXPECT_EQ(Released(Arrive(11, kWorkers)), (std::vector<int>{9, 11, 13})) << "barriers are whole again";
}

TEST_F(CoordinatorTest, AnyNumberOfSuccessorsMayFollow) {
  RegisterAll();
  int64_t now_ms = 1000;
  for (uint64_t incarnation = 900; incarnation < 905; ++incarnation, now_ms += 1000) {
    for (int node : {8, 9, 13}) coordinator_.Heard(node, now_ms - 500);
    EXPECT_TRUE(coordinator_.OnTimer(now_ms - 500).lost.empty());
    ASSERT_EQ(LoseWorker1(now_ms).lost.size(), 1u);
    EXPECT_TRUE(coordinator_.OnRegister(Newcomer(incarnation), "path", now_ms).new_roster);
    EXPECT_EQ(coordinator_.membership().roster().Find(11)->incarnation, incarnation);
  }
}

TEST_F(CoordinatorTest, BeforeTheStartBarrierASuccessorIsExpectedThere) {
  RegisterAll();
  LoseWorker1();
  coordinator_.OnRegister(Newcomer(), "path", 1500);
  EXPECT_FALSE(coordinator_.membership().roster().Find(11)->is_recovery);
}

TEST_F(CoordinatorTest, ASuccessorThatSkipsTheStartBarrierIsARecovery) {
  RegisterAll();
  LoseWorker1();
  Registration newcomer = Newcomer();
  newcomer.start_barrier = false;
  coordinator_.OnRegister(newcomer, "path", 1500);
  EXPECT_TRUE(coordinator_.membership().roster().Find(11)->is_recovery);
}

TEST_F(CoordinatorTest, ASuccessorIsToldWhoElseIsGone) {
  RegisterAll();
  coordinator_.OnLeave(13, "", 0);
  coordinator_.OnLeave(8, "lost its power", 0);
  coordinator_.OnLeave(11, "is on fire", 0);
  const Coordinator::Output output = coordinator_.OnRegister(Newcomer(), "path", 10);
  ASSERT_EQ(output.briefings.size(), 2u);
  for (const Coordinator::Briefing& briefing : output.briefings) EXPECT_EQ(briefing.node, 11);
  EXPECT_EQ(output.briefings[0].departure.node_id, 8);
  EXPECT_NE(output.briefings[0].departure.reason.find("lost its power"), std::string::npos);
  EXPECT_EQ(output.briefings[1].departure.node_id, 13);
  EXPECT_EQ(output.briefings[1].departure.reason, "") << "it left in order";
}

TEST_F(CoordinatorTest, ALivingNodeIsAskedBeforeItIsReplaced) {
  RegisterAll();
  EXPECT_EQ(coordinator_.OnRegister(Newcomer(), "path", 100).probes, (std::vector<int>{11}));
  coordinator_.Heard(11, 101);
  for (int64_t now_ms = 200; now_ms < 1600; now_ms += 100) {
    for (int node : {8, 9, 11, 13}) coordinator_.Heard(node, now_ms);
    const Coordinator::Output output = coordinator_.OnTimer(now_ms);
    EXPECT_TRUE(output.lost.empty() && output.answers.empty());
  }
  const Coordinator::Output output = coordinator_.OnTimer(1600);
  ASSERT_EQ(output.answers.size(), 1u);
  EXPECT_EQ(output.answers[0].to, "path");
  EXPECT_EQ(output.answers[0].step, HandshakeStep::kReject);
  EXPECT_EQ(
      output.answers[0].notice.text,
      "the job already has its 3 workers; worker 1 (id 11, 10.0.0.5:4712) has the same rank, key or address "
      "(DMLC_RANK, PS_NODE_KEY, DMLC_PORT) and is alive");
  EXPECT_FALSE(output.new_roster);
}

TEST_F(CoordinatorTest, OneThatDoesNotAnswerIsReplacedAtOnce) {
  ClusterSettings settings = Settings(OnNodeLost::kFail);
  settings.heartbeat_timeout_ms = 100000;
  Coordinator patient(3, 1, settings, Scheduler(), 5);
  for (int rank = 0; rank < 3; ++rank) patient.OnRegister(RegistrationOf(Node::WORKER, rank), "path", 0);
  patient.OnRegister(RegistrationOf(Node::SERVER, 0), "path", 0);
  patient.OnRegister(Newcomer(), "path", 100);
  for (int64_t now_ms = 600; now_ms < 2100; now_ms += 500) EXPECT_TRUE(patient.OnTimer(now_ms).lost.empty());
  EXPECT_EQ(patient.NextDue(), 2100) << "it does not wait for the time-out";
  const Coordinator::Output output = patient.OnTimer(2100);
  ASSERT_EQ(output.lost.size(), 1u);
  EXPECT_EQ(output.lost[0].node.incarnation, RegistrationOf(Node::WORKER, 1).node.incarnation);
  EXPECT_TRUE(output.new_roster);
  EXPECT_EQ(patient.membership().roster().Find(11)->incarnation, 900u);
}

// Without heartbeats there are no timers before somebody comes; that is no sign that this process stood
// still.
TEST_F(CoordinatorTest, WithHeartbeatsOffOneThatDoesNotAnswerIsReplacedAllTheSame) {
  ClusterSettings settings = Settings(OnNodeLost::kFail);
  settings.heartbeat_interval_ms = 0;
  Coordinator quiet(3, 1, settings, Scheduler(), 5);
  for (int rank = 0; rank < 3; ++rank) quiet.OnRegister(RegistrationOf(Node::WORKER, rank), "path", 0);
  quiet.OnRegister(RegistrationOf(Node::SERVER, 0), "path", 0);
  EXPECT_EQ(quiet.OnRegister(Newcomer(), "path", 1000000).probes, (std::vector<int>{11}));
  Coordinator::Output output;
  int64_t now_ms = 1000000;
  while (now_ms < 1010000 && !output.new_roster && output.answers.empty()) {
    now_ms = quiet.NextDue();
    output = quiet.OnTimer(now_ms);
  }
  EXPECT_TRUE(output.new_roster) << "it is not refused";
  EXPECT_EQ(now_ms, 1000000 + Succession::kProbeMs) << "the question is not asked afresh";
  EXPECT_EQ(quiet.membership().roster().Find(11)->incarnation, 900u);
}

// After a stop of this process a repeated registration may be read before what the nodes have sent.
TEST_F(CoordinatorTest, AfterAStopNobodyIsReplacedBeforeItIsAskedAgain) {
  ClusterSettings settings = Settings(OnNodeLost::kFail);
  settings.heartbeat_timeout_ms = 10000;
  Coordinator stopped(3, 1, settings, Scheduler(), 5);
  for (int rank = 0; rank < 3; ++rank) stopped.OnRegister(RegistrationOf(Node::WORKER, rank), "path", 0);
  stopped.OnRegister(RegistrationOf(Node::SERVER, 0), "path", 0);
  stopped.OnRegister(Newcomer(), "path", 100);
  stopped.Heard(11, 101);
  const Coordinator::Output repeated = stopped.OnRegister(Newcomer(), "path", 4000);
  EXPECT_TRUE(repeated.lost.empty());
  EXPECT_EQ(repeated.probes, (std::vector<int>{11}));
  EXPECT_TRUE(stopped.OnTimer(4001).lost.empty());
  stopped.Heard(11, 4002);
  EXPECT_TRUE(stopped.OnTimer(4600).lost.empty());
  EXPECT_TRUE(stopped.OnLeave(13, "is lost", 9000).lost.size() == 1) << "the other loss alone";
}

// Two that have waited for too long are refused together, whoever repeats its registration then.
TEST_F(CoordinatorTest, WhoIsRefusedIsNotToldToWaitAsWell) {
  RegisterAll();
  coordinator_.OnRegister(Newcomer(900), "first", 100);
  coordinator_.OnRegister(Newcomer(901), "second", 100);
  for (int64_t now_ms = 200; now_ms < 1600; now_ms += 100) {
    for (int node : {8, 9, 11, 13}) coordinator_.Heard(node, now_ms);
    EXPECT_TRUE(coordinator_.OnTimer(now_ms).answers.empty());
  }
  const Coordinator::Output output = coordinator_.OnRegister(Newcomer(900), "first", 1600);
  ASSERT_EQ(output.answers.size(), 2u);
  for (const Coordinator::Answer& answer : output.answers) EXPECT_EQ(answer.step, HandshakeStep::kReject);
}

TEST_F(CoordinatorTest, AnApplicantWhoseConnectionClosesLosesItsPlace) {
  Register(Node::WORKER, 0);
  Register(Node::WORKER, 1);
  coordinator_.OnApplicantGone("path1", 0);
  coordinator_.OnApplicantGone("path77", 0);
  EXPECT_EQ(coordinator_.membership().Progress(),
            "workers 2/3 (10.0.0.5:4711, 10.0.0.5:4712), missing rank 2, servers 0/1")
      << "who gives up together with the scheduler is not missing";
  EXPECT_EQ(coordinator_.NextDue(), 1000);
  coordinator_.OnTimer(1000);
  EXPECT_EQ(coordinator_.membership().Progress(),
            "workers 1/3 (10.0.0.5:4711), missing ranks 1, 2, servers 0/1");
}

}  // namespace
}  // namespace ps

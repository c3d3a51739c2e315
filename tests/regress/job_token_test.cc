// PS_JOB_TOKEN: who has another one does not get in, and is told so by name (R8, case-25).
#include <gtest/gtest.h>

#include <string>

#include "tests/support/log_capture.h"
#include "tests/support/van_node.h"
#include "tests/support/watchdog.h"
#include "transport/chaos_transport.h"

namespace ps {
namespace {

constexpr const char* kToken = "correct-horse-battery-staple";

class JobTokenTest : public testing::Test {
 protected:
  JobTokenTest() {
    cluster_.config.job_token = kToken;
    cluster_.config.start_timeout_ms = 20000;
  }
  VanNode* Add(Role role, const std::string& token, const WrapTransport& wrap = nullptr) {
    const std::string kept = cluster_.config.job_token;
    cluster_.config.job_token = token;
    VanNode* const node = cluster_.Add(role, wrap);
    cluster_.config.job_token = kept;
    return node;
  }
  // One node of another token beside a job that comes up; returns how it ended.
  Status StartBeside(const std::string& token_of_job, const std::string& token) {
    scheduler_ = Add(Role::kScheduler, token_of_job);
    VanNode* const server = Add(Role::kServer, token_of_job);
    VanNode* const stranger = Add(Role::kWorker, token);
    VanNode* const worker = Add(Role::kWorker, token_of_job);
    cluster_.Start();
    EXPECT_TRUE(scheduler_->started.ok()) << scheduler_->started;
    EXPECT_TRUE(server->started.ok()) << server->started;
    EXPECT_TRUE(worker->started.ok()) << worker->started;
    EXPECT_EQ(scheduler_->sink.num_nodes(), 3u);
    return stranger->started;
  }

  Watchdog watchdog_;
  VanCluster cluster_{1, 1};
  VanNode* scheduler_ = nullptr;
};

TEST_F(JobTokenTest, NodesWithTheSameTokenMakeAJob) {
  for (Role role : {Role::kScheduler, Role::kServer, Role::kWorker}) cluster_.Add(role);
  cluster_.Start();
  for (const auto& node : cluster_.nodes) {
    ASSERT_TRUE(node->started.ok()) << node->started;
    EXPECT_EQ(node->van.counters().RejectedFrames(), 0u);
  }
}

TEST_F(JobTokenTest, ANodeWithAnotherTokenIsRefusedByNameAndTakesNobodysPlace) {
  LogCapture log;
  EXPECT_EQ(
      StartBeside(kToken, "another"),
      Status::FailedPrecondition("the scheduler at inproc:1 belongs to another job: PS_JOB_TOKEN differs"));
  EXPECT_EQ(scheduler_->van.counters().Get(Counter::kRejectedToken), 1u);
  EXPECT_EQ(log.Count("refused role=worker"), 1);
  EXPECT_EQ(log.Count("the node belongs to another job: PS_JOB_TOKEN differs"), 1);
  EXPECT_EQ(log.Count(kToken), 0);
  EXPECT_EQ(log.Count("=another"), 0);
}

TEST_F(JobTokenTest, ANodeWithoutATokenIsRefusedByAJobThatHasOne) {
  LogCapture log;
  EXPECT_EQ(StartBeside(kToken, ""),
            Status::FailedPrecondition("the scheduler at inproc:1 belongs to another job: it has a "
                                       "PS_JOB_TOKEN, this node has none"));
  EXPECT_EQ(scheduler_->van.counters().Get(Counter::kRejectedToken), 1u);
  EXPECT_EQ(log.Count("the node has no PS_JOB_TOKEN, but this job has one"), 1);
}

TEST_F(JobTokenTest, ANodeWithATokenIsRefusedByAJobThatHasNone) {
  LogCapture log;
  EXPECT_EQ(StartBeside("", kToken),
            Status::FailedPrecondition("the scheduler at inproc:1 belongs to another job: it has no "
                                       "PS_JOB_TOKEN, this node has one"));
  EXPECT_EQ(scheduler_->van.counters().Get(Counter::kRejectedToken), 1u);
  EXPECT_EQ(log.Count("the node has a PS_JOB_TOKEN, but this job has none"), 1);
}

// The rules would refuse it too, for its counts; of them a stranger hears nothing.
TEST_F(JobTokenTest, TheTokenComesBeforeAnyRuleOfRegistration) {
  VanNode* const scheduler = cluster_.Add(Role::kScheduler);
  cluster_.config.num_workers = 7;
  VanNode* const stranger = Add(Role::kWorker, "another");
  cluster_.config.num_workers = 1;
  cluster_.Add(Role::kServer);
  cluster_.Add(Role::kWorker);
  cluster_.Start();
  EXPECT_TRUE(scheduler->started.ok()) << scheduler->started;
  EXPECT_NE(stranger->started.message().find("PS_JOB_TOKEN differs"), std::string::npos) << stranger->started;
  EXPECT_EQ(stranger->started.message().find("DMLC_NUM_WORKER"), std::string::npos) << stranger->started;
}

// A node of the same job that was asked by mistake proves that it is one, then says what it is.
TEST_F(JobTokenTest, ANodeThatIsNoSchedulerSaysSoToItsOwnJobOnly) {
  for (Role role : {Role::kScheduler, Role::kServer, Role::kWorker}) cluster_.Add(role);
  cluster_.Start();
  ASSERT_TRUE(cluster_.AllStarted());
  Config config = cluster_.config;
  config.role = Role::kWorker;
  config.root_port = cluster_.nodes[2]->van.state().node.port;
  VanNode lost(config, cluster_.hub);
  Status status = lost.van.Start(&lost.sink, StartOptions());
  EXPECT_NE(status.message().find("this is not a scheduler but worker 0"), std::string::npos) << status;
  config.job_token = "another";
  VanNode stranger(config, cluster_.hub);
  status = stranger.van.Start(&stranger.sink, StartOptions());
  EXPECT_NE(status.message().find("PS_JOB_TOKEN differs"), std::string::npos) << status;
  EXPECT_EQ(status.message().find("worker 0"), std::string::npos) << status;
}

TEST_F(JobTokenTest, AJobComesUpAlthoughEveryFrameMayBeLostOrDoubled) {
  cluster_.config.resend_timeout_ms = 10;
  ChaosOptions options;
  options.seed = 20250301;
  options.drop_percent = 40;
  options.duplicate_percent = 30;
  options.reorder_percent = 20;
  const WrapTransport chaos = [&options](std::unique_ptr<Transport> inner) {
    return MakeChaosTransport(std::move(inner), options);
  };
  RecordProperty("seed", static_cast<int>(options.seed));
  for (Role role : {Role::kScheduler, Role::kServer, Role::kWorker}) cluster_.Add(role, chaos);
  cluster_.Start();
  for (const auto& node : cluster_.nodes) {
    EXPECT_TRUE(node->started.ok()) << node->started;
    EXPECT_EQ(node->van.counters().Get(Counter::kRejectedToken), 0u);
  }
}

TEST_F(JobTokenTest, AStrangerThatRepeatsItselfFillsNoLog) {
  LogCapture log;
  VanNode* const scheduler = cluster_.Add(Role::kScheduler);
  cluster_.Add(Role::kServer);
  cluster_.Add(Role::kWorker);
  cluster_.Start();
  ASSERT_TRUE(cluster_.AllStarted());
  Config config = cluster_.config;
  config.role = Role::kWorker;
  config.job_token = "another";
  for (int i = 0; i < 20; ++i) {
    VanNode stranger(config, cluster_.hub);
    EXPECT_FALSE(stranger.van.Start(&stranger.sink, StartOptions()).ok());
  }
  EXPECT_EQ(scheduler->van.counters().Get(Counter::kRejectedToken), 20u);
  EXPECT_LE(log.Count("PS_JOB_TOKEN differs"), 10) << "about one line a second";
  EXPECT_GE(log.Count("PS_JOB_TOKEN differs"), 1);
}

}  // namespace
}  // namespace ps

#include "van/node_van.h"

#include <gtest/gtest.h>

#include <atomic>
#include <string>

#include "base/clock.h"
#include "tests/support/fake_mailbox.h"
#include "tests/support/van_node.h"
#include "tests/support/watchdog.h"
#include "transport/chaos_transport.h"

namespace ps {
namespace {

// A scheduler, a server and a worker.
class NodeVanTest : public testing::Test {
 protected:
  void StartAll() {
    scheduler_ = cluster_.Add(Role::kScheduler, wrap_scheduler_);
    server_ = cluster_.Add(Role::kServer);
    worker_ = cluster_.Add(Role::kWorker);
    cluster_.Start();
    for (const auto& node : cluster_.nodes) ASSERT_TRUE(node->started.ok()) << node->started;
  }
  Status SendFromWorker(int timestamp, int64_t room_timeout_ms = 0) {
    SendOptions options;
    options.room_timeout_ms = room_timeout_ms;
    return worker_->van.Send(RequestTo(8, 3, 4, timestamp), options);
  }

  Watchdog watchdog_;
  VanCluster cluster_{1, 1};
  WrapTransport wrap_scheduler_;
  VanNode* scheduler_ = nullptr;
  VanNode* server_ = nullptr;
  VanNode* worker_ = nullptr;
};

TEST_F(NodeVanTest, StartGivesEveryNodeItsIdAndTheRoster) {
  StartAll();
  EXPECT_EQ(scheduler_->van.state().node.id, 1);
  EXPECT_EQ(server_->van.state().node.id, 8);
  EXPECT_EQ(worker_->van.state().node.id, 9);
  for (const auto& node : cluster_.nodes) {
    EXPECT_TRUE(node->van.state().is_ready);
    EXPECT_EQ(node->sink.num_nodes(), 3u);
  }
}

TEST_F(NodeVanTest, CarriesRequestsAndAnswers) {
  StartAll();
  ASSERT_TRUE(SendFromWorker(5).ok());
  const Meta request = server_->sink.WaitForMessages(1)[0].meta;
  EXPECT_EQ(request.sender, 9);
  EXPECT_EQ(request.sender_incarnation, worker_->van.state().node.incarnation);
  ASSERT_TRUE(server_->van.Send(AnswerTo(request, "done"), SendOptions()).ok());
  const Meta answer = worker_->sink.WaitForMessages(1)[0].meta;
  EXPECT_EQ(answer.timestamp, 5);
  EXPECT_EQ(answer.body, "done");
  EXPECT_FALSE(answer.request);
}

TEST_F(NodeVanTest, AMessageToOneselfIsACopy) {
  StartAll();
  Message message = RequestTo(9, 3, 4, 1);
  SArray<char> bytes(10, 'a');
  message.AddData(bytes);
  ASSERT_TRUE(worker_->van.Send(std::move(message), SendOptions()).ok());
  bytes[0] = 'b';
  const Message received = worker_->sink.WaitForMessages(1)[0];
  EXPECT_EQ(received.data[0][0], 'a');
  EXPECT_EQ(received.meta.sender, 9);
}

TEST_F(NodeVanTest, TheSchedulerIsANodeLikeOthers) {
  StartAll();
  ASSERT_TRUE(worker_->van.Send(RequestTo(1, 3, 4, 1), SendOptions()).ok());
  EXPECT_EQ(scheduler_->sink.WaitForMessages(1)[0].meta.sender, 9);
  ASSERT_TRUE(scheduler_->van.Send(RequestTo(1, 3, 4, 2), SendOptions()).ok());
  ASSERT_TRUE(scheduler_->van.Send(RequestTo(9, 3, 4, 3), SendOptions()).ok());
  EXPECT_EQ(scheduler_->sink.WaitForMessages(2)[1].meta.timestamp, 2);
  EXPECT_EQ(worker_->sink.WaitForMessages(1)[0].meta.sender, 1);
}

TEST_F(NodeVanTest, RefusesWhatCannotBeSent) {
  cluster_.config.max_message_bytes = 1000;
  StartAll();
  EXPECT_EQ(worker_->van.Send(RequestTo(42, 0, 0, 0), SendOptions()),
            Status::NotFound("node 42 doesn't exist"));
  Message large = RequestTo(8, 0, 0, 0);
  large.AddData(SArray<char>(1001));
  const Status status = worker_->van.Send(std::move(large), SendOptions());
  EXPECT_EQ(status.code(), StatusCode::kResourceExhausted);
  EXPECT_NE(status.message().find("PS_MAX_MESSAGE_BYTES=1000"), std::string::npos) << status;
  VanNode idle(cluster_.config, cluster_.hub);
  EXPECT_EQ(idle.van.Send(RequestTo(8, 0, 0, 0), SendOptions()).code(), StatusCode::kFailedPrecondition);
  EXPECT_EQ(idle.van.Barrier(7, 0, false).code(), StatusCode::kFailedPrecondition);
  EXPECT_TRUE(idle.van.DeadNodes(1).empty());
}

TEST_F(NodeVanTest, ALateAnswerToARestartedNodeIsDropped) {
  StartAll();
  Meta request = RequestTo(8, 3, 4, 1).meta;
  request.sender = 9;
  request.sender_incarnation = worker_->van.state().node.incarnation + 1;
  EXPECT_TRUE(server_->van.Send(AnswerTo(request), SendOptions()).ok());
  request.sender_incarnation -= 1;
  request.timestamp = 2;
  EXPECT_TRUE(server_->van.Send(AnswerTo(request), SendOptions()).ok());
  EXPECT_EQ(worker_->sink.WaitForMessages(1)[0].meta.timestamp, 2);
  EXPECT_EQ(server_->van.counters().Get(Counter::kRejectedStale), 1u);
}

TEST_F(NodeVanTest, ARequestWaitsUntilAHandlerTookTheOneBefore) {
  cluster_.config.water_mark = 1;
  StartAll();
  ASSERT_TRUE(SendFromWorker(1).ok());
  EXPECT_EQ(SendFromWorker(2, 5).code(), StatusCode::kDeadlineExceeded);
  const Meta first = server_->sink.WaitForMessages(1)[0].meta;
  std::atomic<bool> sent{false};
  Thread sender("sender", [&] {
    EXPECT_TRUE(SendFromWorker(3).ok());
    sent = true;
  });
  while (worker_->van.counters().Get(Counter::kCreditWaits) < 2) std::this_thread::yield();
  EXPECT_FALSE(sent);
  server_->van.ReturnCredit(first);
  EXPECT_EQ(server_->sink.WaitForMessages(2)[1].meta.timestamp, 3);
}

TEST_F(NodeVanTest, AMessageThatDoesNotFitTogetherIsAnsweredWithItsError) {
  StartAll();
  Message broken = RequestTo(8, 3, 4, 6);
  broken.AddData(SArray<char>(4));
  broken.AddData(SArray<char>(3));
  broken.meta.data_type[1] = FLOAT;
  ASSERT_TRUE(worker_->van.Send(std::move(broken), SendOptions()).ok());
  const Meta answer = worker_->sink.WaitForMessages(1)[0].meta;
  EXPECT_EQ(answer.timestamp, 6);
  EXPECT_EQ(answer.status, StatusCode::kInvalidArgument);
  EXPECT_NE(answer.body.find("refused by server 0 (id 8, inproc:"), std::string::npos) << answer.body;
  EXPECT_EQ(server_->sink.num_messages(), 0u);
}

TEST_F(NodeVanTest, ABarrierReleasesAllMembers) {
  StartAll();
  for (int round = 0; round < 20; ++round) {
    cluster_.OnAll([](VanNode* node) { EXPECT_TRUE(node->van.Barrier(7, 20000, false).ok()); });
  }
}

TEST_F(NodeVanTest, ALateBarrierNamesWhoIsMissing) {
  StartAll();
  const Status status = worker_->van.Barrier(6, 50, false);
  EXPECT_EQ(status.code(), StatusCode::kDeadlineExceeded);
  EXPECT_EQ(status.message().rfind("barrier of group 6: 1 of 2 arrived, missing server 0 (id 8, inproc:", 0),
            0u)
      << status;
  Thread other("other", [&] { EXPECT_TRUE(server_->van.Barrier(6, 20000, false).ok()); });
  EXPECT_TRUE(worker_->van.Barrier(6, 20000, false).ok()) << "the next round begins afresh";
}

TEST_F(NodeVanTest, AnOrderlyEndIsPromptAndLosesNothing) {
  StartAll();
  for (int i = 0; i < 500; ++i) ASSERT_TRUE(SendFromWorker(i).ok());
  const int64_t began = Clock::Real().NowMs();
  worker_->van.Leave();
  worker_->van.Close();
  EXPECT_EQ(server_->sink.num_messages(), 500u);
  cluster_.OnAll([](VanNode* node) {
    node->van.Leave();
    node->van.Close();
  });
  EXPECT_LT(static_cast<double>(Clock::Real().NowMs() - began), 500 * TestTimeScale());
}

TEST_F(NodeVanTest, PeersAreToldWhoEndsWithoutFinalize) {
  StartAll();
  Status outcome;
  {
    Thread waiter("waiter", [&] { outcome = server_->van.Barrier(6, 0, false); });
    worker_->van.Close();
  }
  EXPECT_EQ(outcome.code(), StatusCode::kUnavailable);
  EXPECT_NE(outcome.message().find("worker 0 (id 9, inproc:"), std::string::npos) << outcome;
  EXPECT_NE(outcome.message().find("ended without Finalize"), std::string::npos) << outcome;
  for (VanNode* node : {scheduler_, server_}) {
    EXPECT_EQ(node->sink.WaitForNotes(1)[0].rfind("gone 9: worker 0 (id 9", 0), 0u);
  }
  EXPECT_EQ(SendFromWorker(1).code(), StatusCode::kFailedPrecondition);
  EXPECT_EQ(server_->van.Send(RequestTo(9, 0, 0, 0), SendOptions()).code(), StatusCode::kUnavailable);
  EXPECT_EQ(server_->van.DeadNodes(60000), (std::vector<int>{9})) << "what the scheduler has announced";
}

TEST_F(NodeVanTest, WithoutTheSchedulerBarriersEndAtOnce) {
  StartAll();
  Status outcome;
  {
    Thread waiter("waiter", [&] { outcome = worker_->van.Barrier(7, 0, false); });
    scheduler_->van.Close();
  }
  EXPECT_EQ(outcome.code(), StatusCode::kUnavailable) << outcome;
  EXPECT_EQ(worker_->van.Barrier(7, 0, false).code(), StatusCode::kUnavailable);
  EXPECT_TRUE(SendFromWorker(1).ok()) << "data goes on without it";
  server_->sink.WaitForMessages(1);
}

TEST_F(NodeVanTest, ASilentNodeIsLost) {
  cluster_.config.heartbeat_interval_ms = 10;
  cluster_.config.heartbeat_timeout_ms = 500;
  const auto deaf = std::make_shared<std::atomic<bool>>(false);
  wrap_scheduler_ = [deaf](std::unique_ptr<Transport> inner) {
    ChaosOptions options;
    options.seed = 1;
    options.drop_percent = 100;
    options.spare = [deaf](const Frame& frame) {
      const Result<Header> header = DecodeHeader(frame.head.data(), frame.head.size());
      return !*deaf || !header.ok() || header.value().sender != 9;
    };
    return MakeChaosTransport(std::move(inner), options);
  };
  StartAll();
  EXPECT_TRUE(scheduler_->van.DeadNodes(60000).empty());
  *deaf = true;
  const std::string note = server_->sink.WaitForNotes(1)[0];
  EXPECT_EQ(note.rfind("gone 9: worker 0 (id 9, inproc:", 0), 0u) << note;
  EXPECT_NE(note.find(" is lost: silent for 0."), std::string::npos) << note;
  EXPECT_EQ(scheduler_->van.DeadNodes(60000), (std::vector<int>{9}));
  EXPECT_EQ(server_->van.Barrier(6, 0, false).code(), StatusCode::kUnavailable);
  EXPECT_EQ(worker_->van.Barrier(7, 0, false).code(), StatusCode::kUnavailable)
      << "it hears that it was given up";
}

TEST_F(NodeVanTest, WithHeartbeatsOffNobodyIsDead) {
  cluster_.config.heartbeat_interval_ms = 0;
  StartAll();
  for (const auto& node : cluster_.nodes) EXPECT_TRUE(node->van.DeadNodes(1).empty());
}

TEST_F(NodeVanTest, TimersRunOnRequest) {
  std::atomic<int64_t> at_ms{CondVar::kNever};
  std::atomic<bool> rang{false};
  scheduler_ = cluster_.Add(Role::kScheduler);
  server_ = cluster_.Add(Role::kServer);
  worker_ = cluster_.Add(Role::kWorker);
  worker_->sink.on_timer = [&](int64_t now_ms) {
    if (now_ms >= at_ms) rang = true;
    return CondVar::kNever;
  };
  cluster_.Start();
  at_ms = Clock::Real().NowMs() + 20;
  worker_->van.WakeAt(at_ms);
  while (!rang) std::this_thread::yield();
}

// --- start ---

TEST_F(NodeVanTest, TheStartDeadlineNamesWhoIsMissing) {
  cluster_.config.start_timeout_ms = 300;
  VanNode* const scheduler = cluster_.Add(Role::kScheduler);
  VanNode* const worker = cluster_.Add(Role::kWorker);
  cluster_.Start();
  EXPECT_EQ(scheduler->started.code(), StatusCode::kDeadlineExceeded);
  const std::string why = scheduler->started.message();
  EXPECT_EQ(why.rfind("waiting for nodes (0 of 0.3 s): workers 1/1, servers 0/1; ", 0), 0u) << why;
  EXPECT_NE(why.find("PS_START_TIMEOUT says how long to wait"), std::string::npos) << why;
  EXPECT_EQ(worker->started.code(), StatusCode::kDeadlineExceeded);
  EXPECT_NE(worker->started.message().find("servers 0/1"), std::string::npos) << worker->started;
}

TEST_F(NodeVanTest, WithoutASchedulerTheDeadlineNamesItsAddress) {
  cluster_.config.start_timeout_ms = 50;
  VanNode* const worker = cluster_.Add(Role::kWorker);
  cluster_.Start();
  EXPECT_EQ(worker->started, Status::DeadlineExceeded(
                                 "waiting for the scheduler at inproc:1 (0 of 0.05 s): nobody listens there; "
                                 "PS_START_TIMEOUT says how long to wait"));
}

TEST_F(NodeVanTest, ASurplusNodeIsRefusedWhileTheOthersStart) {
  cluster_.config.heartbeat_interval_ms = 100;
  cluster_.config.heartbeat_timeout_ms = 1000;
  for (Role role : {Role::kScheduler, Role::kServer, Role::kWorker, Role::kWorker}) cluster_.Add(role);
  cluster_.Start();
  int num_refused = 0;
  for (const auto& node : cluster_.nodes) {
    if (node->started.ok()) continue;
    ++num_refused;
    EXPECT_EQ(node->started,
              Status::ResourceExhausted("refused by inproc:1: the job already has its 1 workers"));
  }
  EXPECT_EQ(num_refused, 1);
}

TEST_F(NodeVanTest, OtherCountsAreRefusedWithBothValues) {
  cluster_.Add(Role::kScheduler);
  cluster_.Add(Role::kServer);
  cluster_.config.num_workers = 2;
  VanNode* const wrong = cluster_.Add(Role::kWorker);
  cluster_.config.num_workers = 1;
  Thread right_one("right", [&] {
    Config config = cluster_.config;
    config.role = Role::kWorker;
    VanNode right(config, cluster_.hub);
    EXPECT_TRUE(right.van.Start(&right.sink, StartOptions()).ok());
  });
  cluster_.Start();
  EXPECT_EQ(wrong->started.code(), StatusCode::kInvalidArgument);
  EXPECT_NE(wrong->started.message().find("has DMLC_NUM_WORKER=2"), std::string::npos) << wrong->started;
}

TEST_F(NodeVanTest, ANodeThatIsNoSchedulerSaysSo) {
  StartAll();
  Config config = cluster_.config;
  config.role = Role::kWorker;
  config.root_port = worker_->van.state().node.port;
  VanNode lost(config, cluster_.hub);
  const Status status = lost.van.Start(&lost.sink, StartOptions());
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_NE(status.message().find("this is not a scheduler but worker 0 (id 9"), std::string::npos) << status;
  EXPECT_EQ(worker_->van.counters().Get(Counter::kRejectedMisrouted), 1u);
}

TEST_F(NodeVanTest, CloseEndsAStartThatWaits) {
  VanNode* const worker = cluster_.Add(Role::kWorker);
  Thread closer("closer", [&] { worker->van.Close(); });
  cluster_.Start();
  EXPECT_EQ(worker->started.code(), StatusCode::kCancelled);
}

}  // namespace
}  // namespace ps

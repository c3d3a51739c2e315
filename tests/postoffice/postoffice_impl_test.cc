// What only the whole of a Postoffice shows: start, data between nodes, parking, deadlines.
#include "postoffice/postoffice_impl.h"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <vector>

#include "base/queue.h"
#include "base/thread.h"
#include "ps/local_cluster.h"
#include "tests/support/fake_mailbox.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

class PostofficeImplTest : public testing::Test {
 protected:
  PostofficeImplTest() { options_.config.request_timeout_ms = 20000; }

  void StartCluster() {
    cluster_ = std::make_unique<LocalCluster>(options_);
    const Status started = cluster_->Start();
    ASSERT_TRUE(started.ok()) << started;
  }
  Postoffice& worker() { return cluster_->worker(0); }
  Postoffice& server() { return cluster_->server(0); }

  Watchdog watchdog_;
  LocalClusterOptions options_;
  std::unique_ptr<LocalCluster> cluster_;
  FakeMailbox asker_{0, 3};
  FakeMailbox handler_{0, 0};
};

TEST_F(PostofficeImplTest, ARequestGoesToItsHandlerAndTheAnswerBack) {
  StartCluster();
  handler_.on_message = [&](const Message& request) {
    server().ReturnCredit(request.meta);
    EXPECT_TRUE(server().Send(AnswerTo(request.meta, "done"), Postoffice::SentFrom::kHandler).ok());
  };
  ASSERT_TRUE(server().Attach(&handler_).ok());
  ASSERT_TRUE(worker().Attach(&asker_).ok());
  ASSERT_TRUE(worker().Send(RequestTo(8, 0, 3, 7), Postoffice::SentFrom::kCaller).ok());
  asker_.WaitForMessages(1);
  EXPECT_EQ(asker_.messages()[0].meta.timestamp, 7);
  EXPECT_EQ(asker_.messages()[0].meta.body, "done");
  worker().Detach(&asker_);
  server().Detach(&handler_);
}

TEST_F(PostofficeImplTest, EarlyRequestsWaitForTheirCustomerAndTakeNoRoom) {
  options_.config.water_mark = 1;
  StartCluster();
  for (int i = 0; i < 10; ++i)
    ASSERT_TRUE(worker().Send(RequestTo(8, 0, 3, i), Postoffice::SentFrom::kCaller).ok());
  ASSERT_TRUE(server().Attach(&handler_).ok());
  handler_.WaitForMessages(10);
  EXPECT_EQ(handler_.Timestamps(), (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
  for (const Message& message : handler_.messages()) server().ReturnCredit(message.meta);
  ASSERT_TRUE(worker().Send(RequestTo(8, 0, 3, 10), Postoffice::SentFrom::kCaller).ok())
      << "no room was given back twice";
  handler_.WaitForMessages(11);
  server().Detach(&handler_);
}

TEST_F(PostofficeImplTest, ARequestForACustomerThatNeverComesFailsByName) {
  options_.config.request_timeout_ms = 100;
  StartCluster();
  ASSERT_TRUE(worker().Attach(&asker_).ok());
  Message request = RequestTo(8, 5, 3, 7);
  request.meta.app_id = 0;
  ASSERT_TRUE(worker().Send(std::move(request), Postoffice::SentFrom::kCaller).ok());
  asker_.WaitForMessages(1);
  const Meta answer = asker_.messages()[0].meta;
  EXPECT_FALSE(answer.request);
  EXPECT_EQ(answer.timestamp, 7);
  EXPECT_EQ(answer.status, StatusCode::kDeadlineExceeded);
  EXPECT_EQ(answer.body.rfind("server 0 (id 8) has no customer for app 0", 0), 0u) << answer.body;
  worker().Detach(&asker_);
}

TEST_F(PostofficeImplTest, BeyondTheBoundEarlyRequestsAreRefused) {
  options_.config.send_buffer_bytes = 1000;
  StartCluster();
  ASSERT_TRUE(worker().Attach(&asker_).ok());
  for (int i = 0; i < 3; ++i) {
    Message request = RequestTo(8, 0, 3, i);
    request.AddData(SArray<char>(1900));  // four times the send buffer may wait
    ASSERT_TRUE(worker().Send(std::move(request), Postoffice::SentFrom::kCaller).ok());
  }
  asker_.WaitForMessages(1);
  EXPECT_EQ(asker_.messages()[0].meta.timestamp, 2);
  EXPECT_EQ(asker_.messages()[0].meta.status, StatusCode::kResourceExhausted);
  worker().Detach(&asker_);
}

TEST_F(PostofficeImplTest, PeersThatLeaveAreReported) {
  StartCluster();
  ASSERT_TRUE(worker().Attach(&asker_).ok());
  server().Close();
  asker_.WaitForNotes(1);
  EXPECT_EQ(asker_.notes()[0].rfind("gone 8: server 0 (id 8, inproc:", 0), 0u) << asker_.notes()[0];
  EXPECT_EQ(worker().Send(RequestTo(8, 0, 3, 1), Postoffice::SentFrom::kCaller).code(),
            StatusCode::kUnavailable);
  worker().Detach(&asker_);
}

TEST_F(PostofficeImplTest, CloseTellsMailboxesAndWaitsForThem) {
  StartCluster();
  std::atomic<int> idle{0};
  asker_.on_wait_idle = [&] { ++idle; };
  ASSERT_TRUE(worker().Attach(&asker_).ok());
  worker().Close();
  EXPECT_EQ(asker_.notes(), (std::vector<std::string>{"closed: the node was closed"}));
  EXPECT_EQ(idle, 1);
  EXPECT_EQ(worker().Send(RequestTo(8, 0, 3, 1), Postoffice::SentFrom::kCaller).code(),
            StatusCode::kFailedPrecondition);
  worker().Detach(&asker_);
}

TEST_F(PostofficeImplTest, MailboxTimersRun) {
  StartCluster();
  std::atomic<int64_t> wanted_ms{CondVar::kNever};
  std::atomic<bool> rang{false};
  asker_.on_timer = [&](int64_t now_ms) {
    rang = rang || now_ms >= wanted_ms;
    return rang ? CondVar::kNever : wanted_ms.load();
  };
  ASSERT_TRUE(worker().Attach(&asker_).ok());
  wanted_ms = Clock::Real().NowMs() + 10;
  worker().WakeAt(wanted_ms);
  while (!rang) std::this_thread::yield();
  worker().Detach(&asker_);
}

TEST_F(PostofficeImplTest, MailboxesSurviveARestart) {
  StartCluster();
  ASSERT_TRUE(server().Attach(&handler_).ok());
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(worker().Send(RequestTo(8, 0, 3, i), Postoffice::SentFrom::kCaller).ok());
    handler_.WaitForMessages(static_cast<size_t>(i) + 1);
    ASSERT_TRUE(cluster_->Finalize().ok());
    ASSERT_TRUE(cluster_->Start().ok());
  }
  server().Detach(&handler_);
}

TEST_F(PostofficeImplTest, WhoSendsWhileTheNodeIsStartedAgainGetsAnOutcome) {
  constexpr int kRestarts = 5;
  StartCluster();
  handler_.on_message = [&](const Message& request) { server().ReturnCredit(request.meta); };
  ASSERT_TRUE(server().Attach(&handler_).ok());
  std::atomic<bool> ended{false};
  std::atomic<int> num_sent{0};
  Thread sender("sender", [&] {
    for (int i = 0; !ended; ++i) {
      if (worker().Send(RequestTo(8, 0, 3, i), Postoffice::SentFrom::kCaller).ok()) ++num_sent;
    }
  });
  for (int restart = 0; restart < kRestarts; ++restart) {
    const int before = num_sent;
    while (num_sent == before) std::this_thread::yield();
    ASSERT_TRUE(cluster_->Finalize().ok());
    ASSERT_TRUE(cluster_->Start().ok());
  }
  ended = true;
  sender.Join();
  server().Detach(&handler_);
}

TEST_F(PostofficeImplTest, AClosedNodeNeverStarts) {
  Postoffice node{Config()};
  node.Close();
  EXPECT_EQ(node.TryStart(0, nullptr, true).code(), StatusCode::kCancelled);
}

// A customer with one thread: it takes one request at a time and asks the other side before it goes on.
class Asking {
 public:
  Asking(Postoffice* node, int peer, int questions)
      : node_(node), mailbox_(0, 0), peer_(peer), questions_(questions) {
    mailbox_.on_message = [this](const Message& message) { queue_.Push(message); };
    ThrowIfError(node_->Attach(&mailbox_));
    thread_ = std::make_unique<Thread>("ps-app", [this] { Run(); });
  }
  ~Asking() {
    queue_.Close();
    thread_.reset();
    node_->Detach(&mailbox_);
  }
  void WaitForRequests(size_t count) { mailbox_.WaitForMessages(count); }

 private:
  void Run() {
    while (const std::optional<Message> request = queue_.Pop()) {
      node_->ReturnCredit(request->meta);
      if (request->meta.head != 0) continue;
      for (int i = 0; i < questions_; ++i) {
        Message question = RequestTo(peer_, 0, 0, i);
        question.meta.head = 1;
        EXPECT_TRUE(node_->Send(std::move(question), Postoffice::SentFrom::kHandler).ok());
      }
    }
  }

  Postoffice* const node_;
  FakeMailbox mailbox_;
  const int peer_;
  const int questions_;
  BlockingQueue<Message> queue_;
  std::unique_ptr<Thread> thread_;
};

TEST_F(PostofficeImplTest, HandlersThatWaitForEachOthersRoomGoOn) {
  options_.config.water_mark = 1;
  options_.config.resend_timeout_ms = 20;
  StartCluster();
  constexpr int kQuestions = 5;
  Asking at_server(&server(), 9, kQuestions);
  Asking at_worker(&worker(), 8, kQuestions);
  ASSERT_TRUE(worker().Send(RequestTo(8, 0, 0, 0), Postoffice::SentFrom::kCaller).ok());
  ASSERT_TRUE(server().Send(RequestTo(9, 0, 0, 0), Postoffice::SentFrom::kCaller).ok());
  at_server.WaitForRequests(1 + kQuestions);
  at_worker.WaitForRequests(1 + kQuestions);
}

// --- start ---

TEST_F(PostofficeImplTest, WhoStartsAloneSaysWhoIsMissing) {
  options_.config.start_timeout_ms = 300;
  LocalCluster cluster(options_);
  Status scheduler;
  Status worker;
  {
    Thread one("scheduler", [&] { scheduler = cluster.scheduler().TryStart(0, nullptr, true); });
    Thread two("worker", [&] { worker = cluster.worker(0).TryStart(0, nullptr, true); });
  }
  for (const Status& status : {scheduler, worker}) {
    EXPECT_EQ(status.code(), StatusCode::kDeadlineExceeded);
    EXPECT_NE(status.message().find("servers 0/1"), std::string::npos) << status;
    EXPECT_NE(status.message().find("PS_START_TIMEOUT"), std::string::npos) << status;
  }
}

TEST_F(PostofficeImplTest, AStartThatFailedCanBeTriedAgain) {
  options_.config.start_timeout_ms = 50;
  cluster_ = std::make_unique<LocalCluster>(options_);
  EXPECT_EQ(worker().TryStart(0, nullptr, true).code(), StatusCode::kDeadlineExceeded);
  EXPECT_EQ(worker().TryStart(0, nullptr, true).code(), StatusCode::kDeadlineExceeded);
}

TEST_F(PostofficeImplTest, AStartBarrierThatFailsEndsTheNode) {
  options_.config.start_timeout_ms = 500;
  cluster_ = std::make_unique<LocalCluster>(options_);
  Status outcome;
  {
    Thread one("scheduler", [&] { (void)cluster_->scheduler().TryStart(0, nullptr, true); });
    Thread two("server",
               [&] { EXPECT_TRUE(server().TryStart(0, nullptr, false).ok()) << "without the barrier"; });
    outcome = worker().TryStart(0, nullptr, true);
  }
  EXPECT_EQ(outcome.code(), StatusCode::kDeadlineExceeded);
  EXPECT_NE(outcome.message().find("missing server 0 (id 8"), std::string::npos) << outcome;
  EXPECT_NE(outcome.message().find("; PS_START_TIMEOUT says how long to wait"), std::string::npos) << outcome;
  EXPECT_EQ(worker().TryFinalize(0, false).code(), StatusCode::kFailedPrecondition);
}

TEST_F(PostofficeImplTest, AFaultyConfigurationIsRefusedBeforeAnythingIsOpened) {
  Config config;
  config.num_workers = -1;
  Postoffice node(config);
  const Status status = node.TryStart(0, nullptr, true);
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_NE(status.message().find("DMLC_NUM_WORKER"), std::string::npos) << status;
  EXPECT_EQ(node.van(), nullptr);
}

}  // namespace
}  // namespace ps

#include "ps/postoffice.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include "base/thread.h"
#include "ps/environment.h"
#include "ps/local_cluster.h"
#include "tests/support/fake_mailbox.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

using Ids = std::vector<int>;

template <typename Call>
Status StatusOfCall(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return error.status();
  }
  return Status::Ok();
}

TEST(PostofficeTest, IdsAndRanksTranslate) {
  EXPECT_EQ(Postoffice::ServerRankToID(0), 8);
  EXPECT_EQ(Postoffice::ServerRankToID(3), 14);
  EXPECT_EQ(Postoffice::WorkerRankToID(2), 13);
  EXPECT_EQ(Postoffice::IDtoRank(13), 2);
  EXPECT_EQ(Postoffice::IDtoRank(1), 0);
  EXPECT_EQ(Postoffice::IDtoRank(7), 0);
}

TEST(PostofficeTest, AnswersRoleQueriesBeforeStart) {
  Config config;
  config.role = Role::kServer;
  config.num_workers = 3;
  config.num_servers = 2;
  Postoffice node(config);
  EXPECT_TRUE(node.is_server());
  EXPECT_FALSE(node.is_worker());
  EXPECT_EQ(node.num_workers(), 3);
  EXPECT_EQ(node.num_servers(), 2);
  EXPECT_FALSE(node.is_recovery());
  EXPECT_EQ(node.van(), nullptr);
  EXPECT_EQ(StatusOfCall([&] { node.my_rank(); }).message(), "this node has no rank yet: call Start() first");
  EXPECT_EQ(StatusOfCall([&] { node.GetNodeIDs(4); }).code(), StatusCode::kFailedPrecondition);
  EXPECT_EQ(StatusOfCall([&] { node.GetServerKeyRanges(); }).code(), StatusCode::kFailedPrecondition);
  EXPECT_EQ(node.TryBarrier(0, 2).code(), StatusCode::kFailedPrecondition);
  EXPECT_EQ(node.TryFinalize(0, true).code(), StatusCode::kFailedPrecondition);
  EXPECT_TRUE(node.GetDeadNodes().empty());
}

TEST(PostofficeTest, ReadsTheEnvironmentLiveBeforeStart) {
  Environment environment({{"DMLC_ROLE", "worker"}, {"DMLC_NUM_WORKER", "2"}},
                          Environment::Fallback::kMapOnly);
  Postoffice node(&environment);
  EXPECT_TRUE(node.is_worker());
  EXPECT_EQ(node.num_workers(), 2);
  EXPECT_EQ(node.num_servers(), 0);
  EXPECT_FALSE(node.is_server());
  environment.Publish("DMLC_NUM_SERVER", "5");
  EXPECT_EQ(node.num_servers(), 5);
}

TEST(PostofficeTest, AMisspeltRoleIsNoRoleAndStartSaysSo) {
  Environment environment({{"DMLC_ROLE", "wroker"},
                           {"DMLC_NUM_WORKER", "1"},
                           {"DMLC_NUM_SERVER", "1"},
                           {"DMLC_PS_ROOT_URI", "127.0.0.1"},
                           {"DMLC_PS_ROOT_PORT", "8000"}},
                          Environment::Fallback::kMapOnly);
  Postoffice node(&environment);
  EXPECT_FALSE(node.is_worker() || node.is_server() || node.is_scheduler());
  const Status status = node.TryStart(0, nullptr, true);
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_NE(status.message().find("DMLC_ROLE=\"wroker\""), std::string::npos) << status;
}

class RunningPostofficeTest : public testing::Test {
 protected:
  void StartCluster(int servers, int workers) {
    cluster_ = std::make_unique<LocalCluster>(servers, workers);
    ASSERT_TRUE(cluster_->Start().ok());
  }

  Watchdog watchdog_;
  std::unique_ptr<LocalCluster> cluster_;
};

TEST_F(RunningPostofficeTest, ListsNodesWorkersFirst) {
  StartCluster(2, 3);
  Postoffice& node = cluster_->server(0);
  EXPECT_EQ(node.GetNodeIDs(4), (Ids{9, 11, 13}));
  EXPECT_EQ(node.GetNodeIDs(7), (Ids{9, 11, 13, 8, 10, 1}));
  EXPECT_EQ(node.GetNodeIDs(10), (Ids{10}));
  const Status status = StatusOfCall([&] { node.GetNodeIDs(42); });
  EXPECT_EQ(status.message(), "node 42 doesn't exist");
  EXPECT_EQ(node.GetServerKeyRanges().size(), 2u);
  EXPECT_EQ(node.Describe(11).rfind("worker 1 (id 11, inproc:", 0), 0u) << node.Describe(11);
  EXPECT_EQ(node.Describe(42), "server 17 (id 42)");
  EXPECT_TRUE(cluster_->Finalize().ok());
}

TEST_F(RunningPostofficeTest, ABarrierWantsTheCallersRole) {
  StartCluster(1, 2);
  const Status status = cluster_->server(0).TryBarrier(0, 4);
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(
      status.message(),
      "a server is not in the barrier of group 4 (scheduler 1, servers 2, workers 4, or a sum of them)");
  for (int group : {0, 8, -1}) {
    EXPECT_EQ(cluster_->server(0).TryBarrier(0, group).code(), StatusCode::kInvalidArgument) << group;
  }
  EXPECT_TRUE(cluster_->server(0).TryBarrier(0, 2).ok()) << "a group of one returns at once";
}

TEST_F(RunningPostofficeTest, ALateBarrierNamesWhoIsMissingAndTheVariable) {
  LocalClusterOptions options;
  options.workers = 3;
  options.config.barrier_timeout_ms = 200;
  cluster_ = std::make_unique<LocalCluster>(options);
  ASSERT_TRUE(cluster_->Start().ok());
  Status outcomes[2];
  {
    Thread first("first", [&] { outcomes[0] = cluster_->worker(0).TryBarrier(0, 4); });
    Thread third("third", [&] { outcomes[1] = cluster_->worker(2).TryBarrier(0, 4); });
  }
  for (const Status& outcome : outcomes) {
    EXPECT_EQ(outcome.code(), StatusCode::kDeadlineExceeded);
    const std::string& text = outcome.message();
    EXPECT_EQ(text.rfind("barrier of group 4: 2 of 3 arrived, missing worker 1 (id 11, inproc:", 0), 0u)
        << text;
    EXPECT_NE(text.find(" s ago); PS_BARRIER_TIMEOUT says how long to wait"), std::string::npos) << text;
  }
}

TEST_F(RunningPostofficeTest, TwoThreadsOfANodeCountOnceInABarrier) {
  StartCluster(1, 2);
  std::atomic<int> entered{0};
  std::atomic<int> released{0};
  const auto enter = [&] {
    ++entered;
    cluster_->worker(0).Barrier(0, 4);
    ++released;
  };
  std::future<void> first = std::async(std::launch::async, enter);
  std::future<void> second = std::async(std::launch::async, enter);
  while (entered < 2) std::this_thread::yield();
  {
    // What the two have said reaches the scheduler before this does.
    Thread scheduler("scheduler", [&] { cluster_->scheduler().Barrier(0, 5); });
    Thread other("other", [&] { cluster_->worker(1).Barrier(0, 5); });
    cluster_->worker(0).Barrier(0, 5);
  }
  EXPECT_EQ(released, 0);
  cluster_->worker(1).Barrier(0, 4);
  for (std::future<void>* thread : {&first, &second}) {
    // One that came so late that the round was over is alone in the next one.
    const bool is_alone = thread->wait_for(std::chrono::seconds(5)) == std::future_status::timeout;
    if (is_alone) (void)cluster_->worker(1).TryBarrier(0, 4, 5000);
    thread->get();
  }
  EXPECT_EQ(released, 2);
}

TEST_F(RunningPostofficeTest, NobodyIsDeadWhenZeroSecondsAreAsked) {
  StartCluster(1, 1);
  EXPECT_TRUE(cluster_->scheduler().GetDeadNodes(0).empty());
  EXPECT_TRUE(cluster_->scheduler().GetDeadNodes(60).empty());
  EXPECT_TRUE(cluster_->worker(0).GetDeadNodes(60).empty());
}

TEST_F(RunningPostofficeTest, AfterFinalizeCountsAreZeroAndTheRoleStays) {
  StartCluster(1, 1);
  ASSERT_TRUE(cluster_->Finalize().ok());
  EXPECT_EQ(cluster_->worker(0).num_workers(), 0);
  EXPECT_EQ(cluster_->worker(0).num_servers(), 0);
  EXPECT_TRUE(cluster_->worker(0).is_worker());
  EXPECT_NE(cluster_->worker(0).van(), nullptr);
  ASSERT_TRUE(cluster_->Start().ok());
  EXPECT_EQ(cluster_->worker(0).num_workers(), 1);
}

TEST_F(RunningPostofficeTest, ExitCallbacksRunOnceInReverseOrderAndMayAsk) {
  StartCluster(1, 1);
  std::vector<std::string> ran;
  for (const std::string name : {"first", "second"}) {
    cluster_->server(0).RegisterExitCallback([&, name] {
      EXPECT_EQ(Postoffice::Get(), &cluster_->server(0));
      EXPECT_TRUE(Postoffice::Get()->is_server());
      EXPECT_EQ(Postoffice::Get()->num_workers(), 0);
      ran.push_back(name);
    });
  }
  ASSERT_TRUE(cluster_->Finalize().ok());
  EXPECT_EQ(ran, (std::vector<std::string>{"second", "first"}));
  ASSERT_TRUE(cluster_->Start().ok());
  ASSERT_TRUE(cluster_->Finalize().ok());
  EXPECT_EQ(ran.size(), 2u);
}

TEST_F(RunningPostofficeTest, CloseRunsNoExitCallback) {
  StartCluster(1, 1);
  bool ran = false;
  cluster_->server(0).RegisterExitCallback([&] { ran = true; });
  cluster_->Close();
  EXPECT_FALSE(ran);
}

TEST_F(RunningPostofficeTest, CustomersAreFoundByNameAndUnique) {
  StartCluster(1, 1);
  Postoffice& node = cluster_->worker(0);
  FakeMailbox mailbox(3, 4);
  FakeMailbox twin(3, 4);
  EXPECT_TRUE(node.Attach(&mailbox).ok());
  const Status taken = node.Attach(&twin);
  EXPECT_EQ(taken.code(), StatusCode::kAlreadyExists);
  EXPECT_EQ(taken.message(), "customer 4 of app 3 exists already on this node");
  EXPECT_THROW(node.AddCustomer(&twin), Error);
  EXPECT_EQ(node.GetCustomer(9, 9), nullptr);
  node.Detach(&mailbox);
  EXPECT_TRUE(node.Attach(&twin).ok());
  node.RemoveCustomer(&twin);
}

TEST_F(RunningPostofficeTest, StartingTwiceIsRefused) {
  StartCluster(1, 1);
  EXPECT_EQ(cluster_->worker(0).TryStart(0, nullptr, true).code(), StatusCode::kFailedPrecondition);
}

TEST(PostofficeTest, MembersAreTheNodesOfARoleByRank) {
  const Watchdog watchdog;
  LocalCluster cluster(1, 3);
  EXPECT_TRUE(Postoffice(Config()).Members(Node::WORKER).empty());
  ThrowIfError(cluster.Start());
  const std::vector<Node> workers = cluster.server(0).Members(Node::WORKER);
  ASSERT_EQ(workers.size(), 3u);
  for (int rank = 0; rank < 3; ++rank) {
    EXPECT_EQ(workers[static_cast<size_t>(rank)].id, Postoffice::WorkerRankToID(rank));
    EXPECT_EQ(workers[static_cast<size_t>(rank)].incarnation,
              cluster.worker(rank).van()->my_node().incarnation);
  }
  EXPECT_EQ(cluster.worker(2).Members(Node::SERVER).size(), 1u);
  ThrowIfError(cluster.Finalize());
}

TEST(PostofficeTest, WhatALossMeansIsWhatTheSchedulerSays) {
  const Watchdog watchdog;
  Config config;
  config.on_node_lost = OnNodeLost::kWait;
  EXPECT_EQ(Postoffice(config).on_node_lost(), OnNodeLost::kWait);
  LocalClusterOptions options;
  options.config.on_node_lost = OnNodeLost::kShrink;
  LocalCluster cluster(options);
  ThrowIfError(cluster.Start());
  EXPECT_EQ(cluster.worker(0).on_node_lost(), OnNodeLost::kShrink);
  ThrowIfError(cluster.Finalize());
}

TEST(PostofficeTest, AnAttachmentIsMadeOnceAndGoesWithTheNode) {
  const Watchdog watchdog;
  LocalCluster cluster(0, 1);
  ThrowIfError(cluster.Start());
  Postoffice& node = cluster.worker(0);
  int num_made = 0;
  const auto make = [&] { return std::make_shared<int>(++num_made); };
  std::weak_ptr<void> kept = node.Attachment("a", make);
  EXPECT_EQ(node.Attachment("a", make), kept.lock());
  EXPECT_NE(node.Attachment("b", make), kept.lock());
  EXPECT_EQ(num_made, 2);
  ThrowIfError(cluster.Finalize());
  EXPECT_TRUE(kept.expired());
  EXPECT_EQ(node.Attachment("a", make), nullptr);
}

}  // namespace
}  // namespace ps

// Nodes that are killed and come back (spec runtime.md L7, B-60 to B-63, case-13; PS_ON_NODE_LOST), in one
// process.
#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "ps/ps.h"
#include "tests/support/mortal_cluster.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

constexpr std::chrono::seconds kLong(30);

// What a server knows, kept outside of it: its handle restores itself from it.
struct Disk {
  Mutex mutex;
  std::map<Key, float> store PS_GUARDED_BY(mutex);
};

// Sums pushes on the disk of its rank.
std::unique_ptr<KVServer<float>> DurableServer(Postoffice* node, const std::shared_ptr<Disk>& disk) {
  auto server = std::make_unique<KVServer<float>>(node, 0);
  server->set_request_handle([disk](const KVMeta& meta, const KVPairs<float>& pairs, KVServer<float>* app) {
    KVPairs<float> answer;
    {
      MutexLock lock(disk->mutex);
      for (size_t i = 0; i < pairs.keys.size(); ++i) {
        float& value = disk->store[pairs.keys[i]];
        if (meta.push) value += pairs.vals[i];
        if (meta.pull) answer.vals.push_back(value);
      }
    }
    if (meta.pull) answer.keys = pairs.keys;
    app->Response(meta, answer);
  });
  return server;
}

class RecoveryTest : public testing::Test {
 protected:
  void StartJob(int servers, int workers, OnNodeLost policy) {
    cluster_ = std::make_unique<MortalCluster>(servers, workers);
    cluster_->config.on_node_lost = policy;
    cluster_->config.request_timeout_ms = request_timeout_ms_;
    cluster_->config.heartbeat_timeout_ms = heartbeat_timeout_ms_;
    cluster_->AddAll();
    num_servers_ = static_cast<size_t>(servers);
    const Status started = cluster_->StartAll();
    ASSERT_TRUE(started.ok()) << started;
    for (int rank = 0; rank < servers; ++rank) disks_.push_back(std::make_shared<Disk>());
    for (size_t rank = 0; rank < disks_.size(); ++rank)
      servers_.push_back(DurableServer(&server(rank), disks_[rank]));
  }
  Postoffice& scheduler() { return cluster_->at(0); }
  Postoffice& server(size_t rank) { return cluster_->at(1 + rank); }
  Postoffice& worker(size_t rank) { return cluster_->at(1 + num_servers_ + rank); }

  // A new process in the place of a killed one; it becomes the last node of the cluster.
  Postoffice& Restart(Role role, int rank) {
    Postoffice& fresh = cluster_->Add(role, rank);
    const Status started = fresh.TryStart(0, nullptr, true);
    EXPECT_TRUE(started.ok()) << started;
    return fresh;
  }
  // Until everybody has heard of it.
  void WaitForLoss(Postoffice* observer, int node) {
    while (observer->GetDeadNodes(3600) != std::vector<int>{node}) std::this_thread::yield();
  }
  // One key on each server.
  std::vector<Key> Keys(Postoffice* node) const {
    std::vector<Key> keys;
    for (const Range& range : node->GetServerKeyRanges()) keys.push_back(range.begin() + 1);
    return keys;
  }

  Watchdog watchdog_{std::chrono::seconds(60)};
  std::unique_ptr<MortalCluster> cluster_;
  std::vector<std::shared_ptr<Disk>> disks_;
  std::vector<std::unique_ptr<KVServer<float>>> servers_;
  size_t num_servers_ = 0;
  int64_t request_timeout_ms_ = 60000;
  int64_t heartbeat_timeout_ms_ = 1000;
};

TEST_F(RecoveryTest, AServerThatComesBackGetsTheRequestsThatWaited) {
  StartJob(2, 1, OnNodeLost::kWait);
  KVWorker<float> kv(&worker(0), 0, 0);
  const std::vector<Key> keys = Keys(&worker(0));
  kv.Wait(kv.Push(keys, {1, 1}));
  for (int round = 0; round < 3; ++round) {
    Postoffice* const victim = round == 0 ? &server(0) : &cluster_->at(3 + static_cast<size_t>(round));
    cluster_->Kill(victim);
    servers_[0].reset();
    WaitForLoss(&worker(0), 8);
    // Held for who comes back; the other server is not concerned.
    const int held = kv.Push(keys, {1, 1});
    kv.Wait(kv.Push({keys[1]}, {10}));
    EXPECT_EQ(kv.WaitFor(held, std::chrono::milliseconds(0)).code(), StatusCode::kDeadlineExceeded);
    Postoffice& fresh = Restart(Role::kServer, 0);
    EXPECT_TRUE(fresh.is_recovery());
    EXPECT_EQ(fresh.my_rank(), 0);
    servers_[0] = DurableServer(&fresh, disks_[0]);
    kv.Wait(held);
  }
  std::vector<float> values;
  kv.Wait(kv.Pull(keys, &values));
  EXPECT_EQ(values, (std::vector<float>{4, 34}));
}

TEST_F(RecoveryTest, RequestsInFlightWhenAServerDiesAreAnsweredByItsSuccessor) {
  StartJob(1, 1, OnNodeLost::kWait);
  servers_[0].reset();
  // This one never answers.
  std::atomic<int> seen{0};
  KVServer<float> silent(&server(0), 0);
  silent.set_request_handle([&](const KVMeta&, const KVPairs<float>&, KVServer<float>*) { ++seen; });
  KVWorker<float> kv(&worker(0), 0, 0);
  std::vector<int> timestamps;
  for (int i = 0; i < 100; ++i)
    timestamps.push_back(kv.Push({static_cast<Key>(i)}, {1.0f + static_cast<float>(i)}));
  while (seen < 100) std::this_thread::yield();
  cluster_->Kill(&server(0));
  WaitForLoss(&worker(0), 8);
  Postoffice& fresh = Restart(Role::kServer, 0);
  const auto durable = DurableServer(&fresh, disks_[0]);
  for (int timestamp : timestamps) kv.Wait(timestamp);
  MutexLock lock(disks_[0]->mutex);
  ASSERT_EQ(disks_[0]->store.size(), 100u);
  for (int i = 0; i < 100; ++i)
    EXPECT_EQ(disks_[0]->store[static_cast<Key>(i)], 1.0f + static_cast<float>(i));
}

TEST_F(RecoveryTest, WhatWaitsForALostServerEndsAtTheRequestDeadline) {
  request_timeout_ms_ = 300;
  StartJob(1, 1, OnNodeLost::kWait);
  KVWorker<float> kv(&worker(0), 0, 0);
  cluster_->Kill(&server(0));
  WaitForLoss(&worker(0), 8);
  const int held = kv.Push({1}, {1});
  EXPECT_EQ(kv.WaitFor(held, std::chrono::milliseconds(1)).code(), StatusCode::kDeadlineExceeded)
      << "the wait ends, the request does not";
  const Status outcome = kv.WaitFor(held, kLong);
  EXPECT_EQ(outcome.code(), StatusCode::kDeadlineExceeded);
  EXPECT_NE(outcome.message().find("server 0 (id 8"), std::string::npos) << outcome;
  EXPECT_NE(outcome.message().find("it has not come back in 0.3 s (PS_REQUEST_TIMEOUT)"), std::string::npos)
      << outcome;
}

TEST_F(RecoveryTest, UnderFailPendingAndLaterRequestsNameTheLostServer) {
  StartJob(2, 1, OnNodeLost::kFail);
  KVWorker<float> kv(&worker(0), 0, 0);
  const std::vector<Key> keys = Keys(&worker(0));
  cluster_->Kill(&server(1));
  servers_[1].reset();
  WaitForLoss(&worker(0), 10);
  for (int i = 0; i < 3; ++i) {
    const Status failed = kv.WaitFor(kv.Push(keys, {1, 1}), kLong);
    EXPECT_EQ(failed.code(), StatusCode::kUnavailable) << failed;
    EXPECT_NE(failed.message().find("server 1 (id 10"), std::string::npos) << failed;
    EXPECT_TRUE(kv.WaitFor(kv.Push({keys[0]}, {1}), kLong).ok()) << "keys of other servers stay usable";
  }
  Postoffice& fresh = Restart(Role::kServer, 1);
  servers_[1] = DurableServer(&fresh, disks_[1]);
  // Its roster may still be on the way to the worker.
  while (!kv.WaitFor(kv.Push(keys, {1, 1}), kLong).ok()) std::this_thread::yield();
  MutexLock lock(disks_[1]->mutex);
  EXPECT_EQ(disks_[1]->store[keys[1]], 1.0f);
}

TEST_F(RecoveryTest, AWorkerMayBeReplacedAgainAndAgain) {
  StartJob(1, 2, OnNodeLost::kWait);
  Postoffice* second = &worker(1);
  std::vector<std::unique_ptr<KVWorker<float>>> workers;
  workers.push_back(std::make_unique<KVWorker<float>>(&worker(0), 0, 0));
  for (int round = 0; round < 4; ++round) {
    auto kv = std::make_unique<KVWorker<float>>(second, 0, 0);
    kv->Wait(kv->Push({7}, {1}));
    workers[0]->Wait(workers[0]->Push({7}, {1}));
    cluster_->Kill(second);
    kv.reset();
    WaitForLoss(&worker(0), 11);
    second = &Restart(Role::kWorker, 1);
    EXPECT_TRUE(second->is_recovery());
    EXPECT_EQ(second->my_rank(), 1);
  }
  // The barriers of the new one are those of the others.
  Thread first("first", [&] { EXPECT_TRUE(worker(0).TryBarrier(0, kWorkerGroup, 20000).ok()); });
  EXPECT_TRUE(second->TryBarrier(0, kWorkerGroup, 20000).ok());
  first.Join();
  MutexLock lock(disks_[0]->mutex);
  EXPECT_EQ(disks_[0]->store[7], 8.0f);
}

TEST_F(RecoveryTest, ANodeRestartedBeforeTheTimeOutTakesItsPlaceToo) {
  heartbeat_timeout_ms_ = 60000;
  StartJob(1, 2, OnNodeLost::kWait);
  cluster_->Silence(&worker(1));
  // The old one is asked, does not answer within 2 s, and is replaced.
  Postoffice& fresh = Restart(Role::kWorker, 1);
  EXPECT_TRUE(fresh.is_recovery());
  KVWorker<float> kv(&fresh, 0, 0);
  kv.Wait(kv.Push({7}, {1}));
}

TEST_F(RecoveryTest, ASurplusNodeIsRefusedWhileTheJobGoesOn) {
  StartJob(1, 1, OnNodeLost::kFail);
  KVWorker<float> kv(&worker(0), 0, 0);
  std::atomic<bool> refused{false};
  Postoffice& surplus = cluster_->Add(Role::kWorker, 0);
  Status outcome;
  Thread starting("surplus", [&] {
    outcome = surplus.TryStart(0, nullptr, true);
    refused = true;
  });
  int pushes = 0;
  for (; !refused || pushes < 10; ++pushes) kv.Wait(kv.Push({7}, {1}));
  starting.Join();
  EXPECT_EQ(outcome.code(), StatusCode::kResourceExhausted) << outcome;
  EXPECT_NE(outcome.message().find("the job already has its 1 workers"), std::string::npos) << outcome;
  MutexLock lock(disks_[0]->mutex);
  EXPECT_EQ(disks_[0]->store[7], static_cast<float>(pushes));
}

TEST_F(RecoveryTest, UnderShrinkTheGroupGoesOnWithoutALostWorker) {
  StartJob(1, 3, OnNodeLost::kShrink);
  EXPECT_EQ(worker(0).num_workers(), 3);
  Thread other("other", [&] { EXPECT_TRUE(worker(2).TryBarrier(0, kWorkerGroup, 20000).ok()); });
  Thread third("third", [&] { EXPECT_TRUE(worker(0).TryBarrier(0, kWorkerGroup, 20000).ok()); });
  cluster_->Kill(&worker(1));
  other.Join();
  third.Join();
  while (worker(0).num_workers() != 2) std::this_thread::yield();
  EXPECT_EQ(worker(0).GetNodeIDs(kWorkerGroup), (std::vector<int>{9, 13}));
  EXPECT_EQ(worker(0).my_rank(), 0);
  KVWorker<float> kv(&worker(2), 0, 0);
  kv.Wait(kv.Push({7}, {1}));
}

TEST_F(RecoveryTest, FinalizeOfTheLivingNamesTheLostOneAndReturns) {
  StartJob(2, 2, OnNodeLost::kFail);
  cluster_->Kill(&server(1));
  std::vector<std::unique_ptr<Thread>> threads;
  std::vector<Status> outcomes(4);
  Postoffice* const living[] = {&scheduler(), &server(0), &worker(0), &worker(1)};
  for (size_t i = 0; i < 4; ++i) {
    threads.push_back(
        std::make_unique<Thread>("end", [&, i] { outcomes[i] = living[i]->TryFinalize(0, true); }));
  }
  threads.clear();
  for (const Status& outcome : outcomes) {
    EXPECT_EQ(outcome.code(), StatusCode::kUnavailable) << outcome;
    EXPECT_NE(outcome.message().find("server 1 (id 10"), std::string::npos) << outcome;
  }
}

TEST_F(RecoveryTest, WithoutTheSchedulerPushesGoOnAndBarriersNameIt) {
  StartJob(1, 1, OnNodeLost::kFail);
  KVWorker<float> kv(&worker(0), 0, 0);
  cluster_->Kill(&scheduler());
  const Status outcome = worker(0).TryBarrier(0, kServerGroup + kWorkerGroup, 30000);
  EXPECT_EQ(outcome.code(), StatusCode::kUnavailable) << outcome;
  EXPECT_NE(outcome.message().find("the scheduler at inproc:1 is lost"), std::string::npos) << outcome;
  for (int i = 0; i < 100; ++i) kv.Wait(kv.Push({7}, {1}));
  const int64_t began = Clock::Real().NowMs();
  EXPECT_EQ(worker(0).TryFinalize(0, true).code(), StatusCode::kUnavailable);
  EXPECT_LT(Clock::Real().NowMs() - began, 5000) << "it does not wait for who is gone";
}

TEST_F(RecoveryTest, ALossDoesNotFailWhatTheSuccessorWasAsked) {
  StartJob(1, 1, OnNodeLost::kFail);
  KVWorker<float> kv(&worker(0), 0, 0);
  // A callback keeps the customer's thread busy while the server dies and another one takes its place.
  std::atomic<bool> in_callback{false};
  std::atomic<bool> go_on{false};
  const int first = kv.Push({7}, {1}, {}, 0, [&] {
    in_callback = true;
    while (!go_on) std::this_thread::yield();
  });
  while (!in_callback) std::this_thread::yield();
  cluster_->Kill(&server(0));
  WaitForLoss(&worker(0), 8);
  Postoffice& fresh = Restart(Role::kServer, 0);
  servers_[0] = DurableServer(&fresh, disks_[0]);
  while (!worker(0).GetDeadNodes(3600).empty()) std::this_thread::yield();
  const int second = kv.Push({7}, {1});
  go_on = true;
  kv.Wait(first);
  EXPECT_TRUE(kv.WaitFor(second, kLong).ok());
}

TEST_F(RecoveryTest, ALateAnswerToARestartedNodeGoesNowhere) {
  StartJob(1, 1, OnNodeLost::kWait);
  SimpleApp served(&server(0), 5, 5);
  std::mutex mutex;
  std::vector<SimpleData> asked;
  std::atomic<int> count{0};
  served.set_request_handle([&](const SimpleData& request, SimpleApp*) {
    std::lock_guard<std::mutex> lock(mutex);
    asked.push_back(request);
    ++count;
  });
  auto old_app = std::make_unique<SimpleApp>(&worker(0), 5, 5);
  (void)old_app->Request(1, "old", 8);
  while (count < 1) std::this_thread::yield();
  cluster_->Kill(&worker(0));
  old_app.reset();
  WaitForLoss(&server(0), 9);
  Postoffice& fresh = Restart(Role::kWorker, 0);
  SimpleApp app(&fresh, 5, 5);
  std::string answer;
  app.set_response_handle([&](const SimpleData& response, SimpleApp*) { answer = response.body; });
  const int timestamp = app.Request(1, "new", 8);
  while (count < 2) std::this_thread::yield();
  {
    std::lock_guard<std::mutex> lock(mutex);
    served.Response(asked[0], "for the old one");
    served.Response(asked[1], "for the new one");
  }
  app.Wait(timestamp);
  EXPECT_EQ(answer, "for the new one");
}

TEST_F(RecoveryTest, AServerInFinalizeStaysForItsWorkersWhenTheSchedulerIsGone) {
  heartbeat_timeout_ms_ = 300;
  StartJob(1, 1, OnNodeLost::kFail);
  KVWorker<float> kv(&worker(0), 0, 0);
  Status ended;
  std::atomic<bool> has_ended{false};
  Thread finalizing("finalizing", [&] {
    ended = server(0).TryFinalize(0, true);
    has_ended = true;
  });
  kv.Wait(kv.Push({7}, {1}));
  cluster_->Kill(&scheduler());
  // Longer than the time after which both take the scheduler for lost.
  const int64_t until = Clock::Real().NowMs() + 1000;
  while (Clock::Real().NowMs() < until) kv.Wait(kv.Push({7}, {1}));
  EXPECT_FALSE(has_ended);
  EXPECT_EQ(worker(0).TryFinalize(0, true).code(), StatusCode::kUnavailable);
  finalizing.Join();
  EXPECT_EQ(ended.code(), StatusCode::kUnavailable);
  EXPECT_NE(ended.message().find("the scheduler at inproc:1 is lost"), std::string::npos) << ended;
}

TEST_F(RecoveryTest, ASchedulerThatEndsBecauseOfALossDoesNotHideWhoseItWas) {
  StartJob(1, 2, OnNodeLost::kFail);
  cluster_->Kill(&worker(0));
  WaitForLoss(&worker(1), 9);
  scheduler().Close();
  // In whichever order this node hears of the end and enters the barrier.
  const Status outcome = worker(1).TryBarrier(0, kServerGroup + kWorkerGroup, 20000);
  EXPECT_EQ(outcome.code(), StatusCode::kUnavailable) << outcome;
  EXPECT_NE(outcome.message().find("worker 0 (id 9"), std::string::npos) << outcome;
}

}  // namespace
}  // namespace ps

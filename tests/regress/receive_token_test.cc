// Threads that wait receive themselves (base/receive_token), and inline handles run where their request is
// received: whoever it is, nothing is lost, late, or done twice.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "ps/kv_app.h"
#include "ps/local_cluster.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

using Handle = KVServer<int64_t>::ReqHandle;

class InlineHandleRegress : public testing::Test {
 protected:
  static constexpr int kWorkers = 2;

  void Start(int servers, const Handle& handle, int traits) {
    LocalClusterOptions options;
    options.config.barrier_timeout_ms = barrier_timeout_ms_;
    options.servers = servers;
    options.workers = kWorkers;
    cluster_ = std::make_unique<LocalCluster>(options);
    ThrowIfError(cluster_->Start());
    for (int rank = 0; rank < servers; ++rank) {
      servers_.push_back(std::make_unique<KVServer<int64_t>>(&cluster_->server(rank), 0));
      servers_.back()->set_request_handle(handle, traits);
    }
    for (int rank = 0; rank < kWorkers; ++rank)
      workers_.push_back(std::make_unique<KVWorker<int64_t>>(&cluster_->worker(rank), 0, 0));
  }
  void TearDown() override {
    workers_.clear();
    servers_.clear();
    cluster_.reset();
  }

  Watchdog watchdog_;
  int64_t barrier_timeout_ms_ = 600000;
  std::unique_ptr<LocalCluster> cluster_;
  std::vector<std::unique_ptr<KVServer<int64_t>>> servers_;
  std::vector<std::unique_ptr<KVWorker<int64_t>>> workers_;
};

class ReceiveTokenRegress : public InlineHandleRegress, public testing::WithParamInterface<int> {};
INSTANTIATE_TEST_SUITE_P(OnAppThread, ReceiveTokenRegress, testing::Values(kOnAppThread));
INSTANTIATE_TEST_SUITE_P(Inline, ReceiveTokenRegress, testing::Values(kInline));

// A default handle per server would need one per server; this one is told apart by key.
Handle CountingHandle(std::vector<std::atomic<int64_t>>* sums, std::atomic<int>* inside) {
  return [sums, inside](const KVMeta& req, const KVPairs<int64_t>& data, KVServer<int64_t>* server) {
    EXPECT_EQ(inside[0].fetch_add(1), 0) << "one at a time";
    KVPairs<int64_t> answer;
    for (size_t i = 0; i < data.keys.size(); ++i) {
      std::atomic<int64_t>& sum = (*sums)[data.keys[i]];
      if (req.push) sum.store(sum.load() + data.vals[i]);
      if (req.pull) {
        answer.keys.push_back(data.keys[i]);
        answer.vals.push_back(sum.load());
      }
    }
    inside[0].fetch_sub(1);
    server->Response(req, answer);
  };
}

TEST_P(ReceiveTokenRegress, ManyThreadsThatWaitAndCallbacksBesideThem) {
  constexpr int kThreads = 3;
  constexpr int kRounds = 150;
  std::vector<std::atomic<int64_t>> sums(1);
  std::atomic<int> inside{0};
  Start(1, CountingHandle(&sums, &inside), GetParam());
  std::atomic<int> called_back{0};
  std::vector<std::thread> threads;
  for (auto& worker : workers_) {
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&worker, &called_back] {
        for (int round = 0; round < kRounds; ++round) {
          const int first = worker->Push({0}, {1}, {}, 0, [&called_back] { ++called_back; });
          const int second = worker->Push({0}, {1});
          std::vector<int64_t> pulled;
          worker->Wait(worker->Pull({0}, &pulled));
          EXPECT_GE(pulled[0], 2 * (round + 1)) << "its own pushes came before";
          worker->Wait(second);
          worker->Wait(first);
        }
      });
    }
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(sums[0].load(), 2 * kWorkers * kThreads * kRounds);
  EXPECT_EQ(called_back.load(), kWorkers * kThreads * kRounds);
}

TEST_P(ReceiveTokenRegress, AfterAWaitCallbacksComeByThemselves) {
  std::vector<std::atomic<int64_t>> sums(1);
  std::atomic<int> inside{0};
  Start(1, CountingHandle(&sums, &inside), GetParam());
  for (int round = 0; round < 200; ++round) {
    workers_[0]->Wait(workers_[0]->Push({0}, {1}));
    std::atomic<bool> called_back{false};
    workers_[0]->Push({0}, {1}, {}, 0, [&called_back] { called_back.store(true); });
    while (!called_back.load()) std::this_thread::yield();
  }
  EXPECT_EQ(sums[0].load(), 400);
}

TEST_P(ReceiveTokenRegress, PushesOfOneSenderStayInOrder) {
  std::vector<int64_t> seen;
  const Handle handle = [&seen](const KVMeta& req, const KVPairs<int64_t>& data, KVServer<int64_t>* server) {
    if (req.push) seen.push_back(data.vals[0]);
    server->Response(req, req.pull ? data : KVPairs<int64_t>());
  };
  Start(1, handle, GetParam());
  int last = 0;
  for (int64_t i = 0; i < 2000; ++i) last = workers_[0]->Push({0}, {i});
  workers_[0]->Wait(last);
  ASSERT_EQ(seen.size(), 2000u);
  for (int64_t i = 0; i < 2000; ++i) ASSERT_EQ(seen[static_cast<size_t>(i)], i);
}

TEST_P(ReceiveTokenRegress, AWaitWithADeadlineComesBack) {
  std::vector<KVMeta> held;
  std::mutex mutex;
  const Handle handle = [&](const KVMeta& req, const KVPairs<int64_t>&, KVServer<int64_t>*) {
    std::lock_guard<std::mutex> lock(mutex);
    held.push_back(req);
  };
  Start(1, handle, GetParam());
  const int ts = workers_[0]->Push({0}, {1});
  EXPECT_EQ(workers_[0]->WaitFor(ts, std::chrono::milliseconds(30)).code(), StatusCode::kDeadlineExceeded);
  for (bool answered = false; !answered;) {  // the handle may come late
    std::lock_guard<std::mutex> lock(mutex);
    for (const KVMeta& req : held) servers_[0]->Response(req);
    answered = !held.empty();
  }
  EXPECT_TRUE(workers_[0]->WaitFor(ts, std::chrono::milliseconds(20000)).ok());
}

// Its deadline is earlier than anything that the thread, which receives meanwhile, knew of.
TEST_P(ReceiveTokenRegress, ARequestWithoutAnAnswerEndsAtItsTimeAlthoughNobodyWaits) {
  barrier_timeout_ms_ = 100;
  Start(
      1, [](const KVMeta&, const KVPairs<int64_t>&, KVServer<int64_t>*) {}, GetParam());
  for (int round = 0; round < 3; ++round) {
    std::atomic<bool> called_back{false};
    workers_[0]->Push({0}, {1}, {}, 0, [&called_back] { called_back.store(true); });
    while (!called_back.load()) std::this_thread::yield();
  }
}

TEST_P(ReceiveTokenRegress, AnAnswerGivenLaterByAnotherThreadWakesWhoWaits) {
  std::mutex mutex;
  std::vector<std::thread> answering;
  const Handle handle = [&](const KVMeta& req, const KVPairs<int64_t>&, KVServer<int64_t>* server) {
    std::lock_guard<std::mutex> lock(mutex);
    answering.emplace_back([req, server] { server->Response(req); });
  };
  Start(1, handle, GetParam());
  for (int i = 0; i < 100; ++i) workers_[0]->Wait(workers_[0]->Push({0}, {1}));
  std::lock_guard<std::mutex> lock(mutex);
  for (std::thread& thread : answering) thread.join();
}

TEST_F(InlineHandleRegress, AnInlineHandleCanNotWait) {
  KVWorker<int64_t>* asker = nullptr;
  const Handle handle = [&asker](const KVMeta& req, const KVPairs<int64_t>&, KVServer<int64_t>* server) {
    if (asker != nullptr) asker->Wait(asker->Push({0}, {1}));
    server->Response(req);
  };
  Start(2, handle, kInline);
  // On the node of the first server, which asks the second.
  KVWorker<int64_t> on_server(&cluster_->server(0), 1, 1);
  asker = &on_server;
  const Status refused = workers_[0]->WaitFor(workers_[0]->Push({0}, {1}), std::chrono::milliseconds(20000));
  EXPECT_EQ(refused.code(), StatusCode::kFailedPrecondition);
  EXPECT_NE(refused.message().find("inline handle"), std::string::npos) << refused;
  asker = nullptr;
  workers_[0]->Wait(workers_[0]->Push({0}, {1}));
}

TEST_F(InlineHandleRegress, AnInlineHandleCanNotEnterABarrier) {
  Postoffice* node = nullptr;
  const Handle handle = [&node](const KVMeta& req, const KVPairs<int64_t>&, KVServer<int64_t>* server) {
    node->Barrier(0, 2);
    server->Response(req);
  };
  Start(2, handle, kInline);
  node = &cluster_->server(0);
  const Status refused = workers_[0]->WaitFor(workers_[0]->Push({0}, {1}), std::chrono::milliseconds(20000));
  EXPECT_EQ(refused.code(), StatusCode::kFailedPrecondition);
  EXPECT_NE(refused.message().find("a barrier inside an inline handle"), std::string::npos) << refused;
}

TEST_F(InlineHandleRegress, AnInlineHandleThatThrowsFailsItsRequestOnly) {
  std::atomic<bool> throws{true};
  const Handle handle = [&throws](const KVMeta& req, const KVPairs<int64_t>&, KVServer<int64_t>* server) {
    if (throws.exchange(false)) throw std::runtime_error("not today");
    server->Response(req);
  };
  Start(1, handle, kInline);
  const Status refused = workers_[0]->WaitFor(workers_[0]->Push({0}, {1}), std::chrono::milliseconds(20000));
  EXPECT_NE(refused.message().find("not today"), std::string::npos) << refused;
  workers_[0]->Wait(workers_[0]->Push({0}, {1}));
}

TEST_F(InlineHandleRegress, CommandsBesideAnInlineHandleRunOnTheirThread) {
  std::atomic<int> commands{0};
  std::vector<std::atomic<int64_t>> sums(1);
  std::atomic<int> inside{0};
  Start(1, CountingHandle(&sums, &inside), kInline);
  static_cast<SimpleApp*>(servers_[0].get())->set_request_handle([&](const SimpleData& req, SimpleApp* app) {
    EXPECT_EQ(inside.fetch_add(1), 0) << "one at a time";
    ++commands;
    std::this_thread::yield();
    inside.fetch_sub(1);
    app->Response(req);
  });
  for (int i = 0; i < 100; ++i) {
    const int command = workers_[1]->Request(1, "x", kServerGroup);
    int last = 0;
    for (int k = 0; k < 10; ++k) last = workers_[0]->Push({0}, {1});
    workers_[0]->Wait(last);
    workers_[1]->Wait(command);
  }
  EXPECT_EQ(commands.load(), 100);
  EXPECT_EQ(sums[0].load(), 1000);
}

}  // namespace
}  // namespace ps

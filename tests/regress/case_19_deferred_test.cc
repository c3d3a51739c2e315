// case-19: answers given later, from other threads, in any order; many threads on one KVWorker.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <future>
#include <random>
#include <thread>

#include "ps/kv_app.h"
#include "ps/local_cluster.h"
#include "tests/support/job.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// Keeps requests until there are `number` of them.
class Kept {
 public:
  explicit Kept(size_t number) : number_(number) {}

  void Add(const KVMeta& meta, const KVPairs<float>& data) {
    std::lock_guard<std::mutex> lock(mutex_);
    requests_.emplace_back(meta, data.keys);
    if (requests_.size() == number_) all_.set_value();
  }
  void AwaitAll() { all_.get_future().wait(); }
  std::vector<std::pair<KVMeta, SArray<Key>>>& requests() { return requests_; }

 private:
  const size_t number_;
  std::mutex mutex_;
  std::vector<std::pair<KVMeta, SArray<Key>>> requests_;
  std::promise<void> all_;
};

void AnswerShare(Kept* kept, size_t share, KVServer<float>* server) {
  for (size_t i = share; i < kept->requests().size(); i += 4) {
    const auto& [meta, keys] = kept->requests()[i];
    KVPairs<float> answer;
    answer.keys = keys;
    answer.vals = SArray<float>(1, static_cast<float>(keys[0]));
    server->Response(meta, answer);
  }
}

TEST(Case19, AnswersMayComeLaterFromAnyThreadInAnyOrder) {
  Watchdog watchdog(seconds(20));
  const unsigned seed = 19;
  std::printf("case-19: seed %u\n", seed);
  LocalCluster cluster(1, 1);
  ASSERT_TRUE(cluster.Start().ok());
  Kept kept(100);
  KVServer<float> server(&cluster.server(0), 0);
  server.set_request_handle(
      [&](const KVMeta& meta, const KVPairs<float>& data, KVServer<float>*) { kept.Add(meta, data); });
  KVWorker<float> worker(&cluster.worker(0), 0, 0);
  std::vector<std::vector<float>> pulled(100);
  std::vector<int> timestamps;
  std::atomic<int> callbacks{0};
  for (Key key = 0; key < 100; ++key)
    timestamps.push_back(worker.Pull({key}, &pulled[key], nullptr, 0, [&] { ++callbacks; }));
  kept.AwaitAll();
  EXPECT_EQ(callbacks.load(), 0);
  std::shuffle(kept.requests().begin(), kept.requests().end(), std::mt19937(seed));
  std::vector<std::thread> answering;
  for (size_t share = 0; share < 4; ++share) answering.emplace_back(AnswerShare, &kept, share, &server);
  for (std::thread& thread : answering) thread.join();
  for (int timestamp : timestamps) EXPECT_EQ(worker.WaitFor(timestamp, seconds(10)), Status::Ok());
  EXPECT_EQ(callbacks.load(), 100);
  for (size_t key = 0; key < 100; ++key) EXPECT_EQ(pulled[key], std::vector<float>{static_cast<float>(key)});
  EXPECT_TRUE(cluster.Finalize().ok());
}

// What a thread of the next test does: pushes and pulls without waiting, whose callbacks each issue one more
// push.
struct Load {
  KVWorker<int>* worker;
  std::atomic<int>* callbacks;
  int number;

  void Run(Key key) const {
    std::vector<int> pulled;
    int last = 0;
    for (int i = 0; i < number; ++i) {
      last = worker->Push({key}, {1}, {}, 0, [this, key] {
        ++*callbacks;
        worker->Push({key}, {1}, {}, 0, [this] { ++*callbacks; });
      });
    }
    worker->Wait(last);
    worker->Wait(worker->Pull({key}, &pulled));
    EXPECT_GE(pulled[0], number);
  }
};

TEST(Case19, ManyThreadsUseOneWorkerAndCallbacksIssueMore) {
  Watchdog watchdog(seconds(LongForms() ? 60 : 30));
  const int number = LongForms() ? 20000 : 1000;
  LocalCluster cluster(2, 1);
  ASSERT_TRUE(cluster.Start().ok());
  KVServer<int> first(&cluster.server(0), 0);
  KVServer<int> second(&cluster.server(1), 0);
  first.set_request_handle(KVServerDefaultHandle<int>());
  second.set_request_handle(KVServerDefaultHandle<int>());
  KVWorker<int> worker(&cluster.worker(0), 0, 0);
  std::atomic<int> callbacks{0};
  const Load load{&worker, &callbacks, number};
  std::vector<std::thread> threads;
  std::vector<Key> keys;
  for (Key i = 0; i < 8; ++i) keys.push_back(kMaxKey / 8 * i);
  for (Key key : keys) threads.emplace_back([&load, key] { load.Run(key); });
  for (std::thread& thread : threads) thread.join();

  ASSERT_TRUE(cluster.Finalize().ok());  // waits for what the last callbacks issued
  EXPECT_EQ(callbacks.load(), 8 * number * 2);
  ASSERT_TRUE(cluster.Start().ok());
  std::vector<int> sums;
  worker.Wait(worker.Pull(keys, &sums));
  EXPECT_EQ(sums, std::vector<int>(8, 2 * number));
  EXPECT_TRUE(cluster.Finalize().ok());
}

TEST(Case19, ARequestHeldLongerThanTheRequestTimeoutSucceeds) {
  Watchdog watchdog(seconds(20));
  LocalClusterOptions options;
  options.config.request_timeout_ms = 200;
  LocalCluster cluster(options);
  ASSERT_TRUE(cluster.Start().ok());
  Kept kept(1);
  KVServer<float> server(&cluster.server(0), 0);
  server.set_request_handle(
      [&](const KVMeta& meta, const KVPairs<float>& data, KVServer<float>*) { kept.Add(meta, data); });
  KVWorker<float> worker(&cluster.worker(0), 0, 0);
  const int pushed = worker.Push({1}, {1});
  kept.AwaitAll();
  EXPECT_EQ(worker.WaitFor(pushed, milliseconds(600)).code(), StatusCode::kDeadlineExceeded);
  server.Response(kept.requests()[0].first);
  EXPECT_EQ(worker.WaitFor(pushed, seconds(10)), Status::Ok());
  EXPECT_TRUE(cluster.Finalize().ok());
}

}  // namespace
}  // namespace ps

#include "app/kv_worker_core.h"

#include <gtest/gtest.h>

#include <future>
#include <map>
#include <memory>
#include <numeric>
#include <tuple>
#include <vector>

#include "base/mutex.h"
#include "tests/app/kv_app_fixture.h"

namespace ps {
namespace {

using std::chrono::milliseconds;
using KVWorkerCoreTest = KVAppFixture;

// The default handle of one server, which also writes down who saw which key.
class WitnessHandle {
 public:
  using Seen = std::map<Key, std::vector<int>>;

  WitnessHandle(int rank, Mutex* mutex, Seen* seen) : rank_(rank), mutex_(mutex), seen_(seen) {}

  void operator()(const KVMeta& req, const KVPairs<float>& data, KVServer<float>* server) {
    {
      MutexLock lock(*mutex_);
      for (Key key : data.keys) (*seen_)[key].push_back(rank_);
    }
    default_handle_(req, data, server);
  }

 private:
  const int rank_;
  Mutex* const mutex_;
  Seen* const seen_;
  KVServerDefaultHandle<float> default_handle_;
};

class EdgeKeys : public KVAppFixture, public testing::WithParamInterface<std::tuple<int, KeyPartition>> {};

// case-15
TEST_P(EdgeKeys, ReachExactlyOneServer) {
  const auto [num_servers, partition] = GetParam();
  const std::vector<Key> keys = {0, 1, (1ULL << 63) - 1, 1ULL << 63, kMaxKey - 2, kMaxKey - 1, kMaxKey};
  const std::vector<float> vals = {1, 2, 3, 4, 5, 6, 7};
  Config config;
  config.key_partition = partition;
  StartCluster(num_servers, config);
  Mutex mutex;
  WitnessHandle::Seen seen;
  for (int rank = 0; rank < num_servers; ++rank) {
    servers_[static_cast<std::size_t>(rank)]->set_request_handle(WitnessHandle(rank, &mutex, &seen));
  }
  Push(keys, vals);
  std::vector<float> pulled;
  worker_->Wait(worker_->Pull(keys, &pulled));
  EXPECT_EQ(pulled, vals);
  std::vector<float> outs;
  worker_->Wait(worker_->PushPull(keys, vals, &outs));
  EXPECT_EQ(outs, (std::vector<float>{2, 4, 6, 8, 10, 12, 14}));

  const std::vector<Range>& ranges = cluster_->worker(0).GetServerKeyRanges();
  for (Key key : keys) {
    const int server = seen[key].at(0);
    EXPECT_EQ(seen[key], std::vector<int>(3, server)) << key;  // push, pull, push-pull
    const Range& range = ranges[static_cast<std::size_t>(server)];
    const bool in_range = key >= range.begin() && (key < range.end() || server + 1 == num_servers);
    EXPECT_TRUE(in_range || partition == KeyPartition::kHash) << key;
  }
}

INSTANTIATE_TEST_SUITE_P(Servers, EdgeKeys,
                         testing::Combine(testing::Values(1, 2, 3, 5, 7),
                                          testing::Values(KeyPartition::kRange, KeyPartition::kHash)));

TEST_F(KVWorkerCoreTest, PullsWhatWasPushed) {
  StartDefaultServers(2);
  Push({1, 1ULL << 63}, {1.5f, 2.5f});
  Push({1, 1ULL << 63}, {1, 1});
  std::vector<float> vals;
  std::vector<int> lens;
  worker_->Wait(worker_->Pull({1, 5, 1ULL << 63}, &vals, &lens));
  EXPECT_EQ(vals, (std::vector<float>{2.5f, 0, 3.5f}));
  EXPECT_EQ(lens, (std::vector<int>{1, 1, 1}));
}

// case-17
TEST_F(KVWorkerCoreTest, ValuesOfAnyShapeComeBackAsTheyWere) {
  StartDefaultServers(3);
  const Key third = kMaxKey / 3;
  const std::vector<Key> keys = {5, third + 5, 2 * third + 5};
  std::vector<float> eight(24);
  std::iota(eight.begin(), eight.end(), 0.0f);
  Push(keys, eight);
  std::vector<float> vals;
  std::vector<int> lens;
  worker_->Wait(worker_->Pull(keys, &vals, &lens));
  EXPECT_EQ(vals, eight);
  EXPECT_EQ(lens, (std::vector<int>{8, 8, 8}));
  std::vector<float> outs;
  worker_->Wait(worker_->PushPull(keys, eight, &outs));
  ASSERT_EQ(outs.size(), 24u);
  EXPECT_EQ(outs[23], 2 * eight[23]);

  const std::vector<Key> others = {6, third + 6, 2 * third + 6, 2 * third + 7};
  Push({others[0], others[1], others[2]}, {1, 2, 3, 4, 5, 6, 7, 8}, {3, 0, 5});
  vals.clear();
  lens.clear();
  worker_->Wait(worker_->Pull(others, &vals, &lens));
  EXPECT_EQ(vals, (std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8, 0}));
  EXPECT_EQ(lens, (std::vector<int>{3, 0, 5, 1}));
}

TEST_F(KVWorkerCoreTest, ZVariantsWorkOnTheCallersMemory) {
  StartDefaultServers(2);
  std::vector<Key> keys = {1, kMaxKey};
  std::vector<float> memory = {1, 2};
  const SArray<Key> zkeys(keys.data(), keys.size());
  SArray<float> zvals(memory.data(), memory.size());
  worker_->Wait(worker_->ZPush(zkeys, zvals));
  worker_->Wait(worker_->ZPushPull(zkeys, zvals, &zvals));
  EXPECT_EQ(memory, (std::vector<float>{2, 4}));
  SArray<float> pulled;
  SArray<int> lens;
  worker_->Wait(worker_->ZPull(zkeys, &pulled, &lens));
  EXPECT_EQ(pulled[1], 4);
  EXPECT_EQ(lens[1], 1);
}

TEST_F(KVWorkerCoreTest, AnEmptyRequestIsDoneAndItsCallbackRuns) {
  StartDefaultServers(2);
  int runs = 0;
  std::vector<float> vals;
  worker_->Wait(worker_->Push({}, {}, {}, 0, [&runs] { ++runs; }));
  worker_->Wait(worker_->Pull({}, &vals, nullptr, 0, [&runs] { ++runs; }));
  EXPECT_EQ(runs, 2);
}

TEST_F(KVWorkerCoreTest, ACallbackRunsOnceBeforeWaitReturnsAndKnowsTheOutcome) {
  StartDefaultServers(1);
  Push({1}, {1, 2});
  std::vector<StatusCode> outcomes;
  const auto note = [&outcomes] { outcomes.push_back(CallbackStatus().code()); };
  worker_->Wait(worker_->Push({1}, {1, 2}, {}, 0, note));
  ASSERT_EQ(outcomes.size(), 1u);
  EXPECT_THROW(worker_->Wait(worker_->Push({1}, {1}, {}, 0, note)), Error);
  EXPECT_EQ(outcomes, (std::vector<StatusCode>{StatusCode::kOk, StatusCode::kInvalidArgument}));
  EXPECT_TRUE(CallbackStatus().ok());
}

// Its answer is taken by the thread that receives it; the customer's own stands in a callback.
TEST_F(KVWorkerCoreTest, ARequestWithoutCallbackEndsWhileACallbackRuns) {
  StartDefaultServers(2);
  std::promise<void> entered;
  std::promise<void> go_on;
  const int with_callback = worker_->Push({1, kMaxKey}, {1, 2}, {}, 0, [&] {
    entered.set_value();
    go_on.get_future().wait();
  });
  entered.get_future().wait();
  Push({1, kMaxKey}, {10, 20});
  std::vector<float> pulled;
  worker_->Wait(worker_->Pull({1, kMaxKey}, &pulled));
  EXPECT_EQ(pulled, (std::vector<float>{11, 22}));
  EXPECT_EQ(worker_->WaitFor(with_callback, milliseconds(0)).code(), StatusCode::kDeadlineExceeded);
  go_on.set_value();
  worker_->Wait(with_callback);
}

TEST_F(KVWorkerCoreTest, ACustomSlicerDecidesWhoGetsWhat) {
  StartCluster(2);
  std::vector<int> requests(2, 0);
  for (std::size_t rank = 0; rank < 2; ++rank) {
    auto store = std::make_shared<KVServerDefaultHandle<float>>();
    servers_[rank]->set_request_handle(
        [&requests, rank, store](const KVMeta& req, const KVPairs<float>& data, KVServer<float>* server) {
          ++requests[rank];
          (*store)(req, data, server);
        });
  }
  // Even keys to server 1, odd ones to server 0.
  worker_->set_slicer(
      [](const KVPairs<float>& send, const std::vector<Range>&, KVWorker<float>::SlicedKVs* sliced) {
        sliced->resize(2);
        for (std::size_t i = 0; i < send.keys.size(); ++i) {
          auto& slot = (*sliced)[1 - send.keys[i] % 2];
          slot.first = true;
          slot.second.keys.push_back(send.keys[i]);
          if (!send.vals.empty()) slot.second.vals.push_back(send.vals[i]);
        }
      });
  Push({1, 2, 3}, {10, 20, 30});
  std::vector<float> vals;
  worker_->Wait(worker_->Pull({1, 2, 3}, &vals));
  EXPECT_EQ(vals, (std::vector<float>{10, 20, 30}));
  EXPECT_EQ(requests, (std::vector<int>{2, 2}));
}

TEST_F(KVWorkerCoreTest, WaitForEndsTheWaitAndNotTheRequest) {
  StartCluster(1);
  std::promise<KVMeta> kept;
  servers_[0]->set_request_handle(
      [&](const KVMeta& req, const KVPairs<float>&, KVServer<float>*) { kept.set_value(req); });
  const int ts = worker_->Push({1}, {1});
  const Status in_vain = worker_->WaitFor(ts, milliseconds(50));
  EXPECT_EQ(in_vain.code(), StatusCode::kDeadlineExceeded);
  EXPECT_NE(in_vain.message().find("server 0"), std::string::npos) << in_vain;
  servers_[0]->Response(kept.get_future().get());
  EXPECT_TRUE(worker_->WaitFor(ts, milliseconds(10000)).ok());
}

}  // namespace
}  // namespace ps

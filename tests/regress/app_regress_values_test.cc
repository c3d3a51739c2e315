// Defects of the original around keys and values: runtime specification B3.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <numeric>
#include <vector>

#include "base/mutex.h"
#include "ps/kv_app.h"
#include "ps/local_cluster.h"
#include "tests/support/log_capture.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

using std::chrono::milliseconds;
using Server = KVServer<float>;

class AppRegressValues : public testing::Test {
 protected:
  explicit AppRegressValues(int servers = 2, KeyPartition partition = KeyPartition::kRange)
      : cluster_(Options(servers, partition)) {
    ThrowIfError(cluster_.Start());
    worker_ = std::make_unique<KVWorker<float>>(&cluster_.worker(0), 0, 0);
    for (int rank = 0; rank < servers; ++rank) {
      servers_.push_back(std::make_unique<Server>(&cluster_.server(rank), 0));
      servers_.back()->set_request_handle(KVServerDefaultHandle<float>());
    }
  }

  static LocalClusterOptions Options(int servers, KeyPartition partition) {
    LocalClusterOptions options;
    options.servers = servers;
    options.config.key_partition = partition;
    return options;
  }

  void SetHandle(const Server::ReqHandle& handle) {
    for (auto& server : servers_) server->set_request_handle(handle);
  }
  Status Outcome(int ts) { return worker_->WaitFor(ts, milliseconds(10000)); }

  Watchdog watchdog_;
  LocalCluster cluster_;
  std::vector<std::unique_ptr<Server>> servers_;
  std::unique_ptr<KVWorker<float>> worker_;
};

using RegressB14 = AppRegressValues;
TEST_F(RegressB14, LastKeyHasAServer) {
  EXPECT_TRUE(Outcome(worker_->Push({kMaxKey - 1, kMaxKey}, {1, 2})).ok());
  std::vector<float> vals;
  EXPECT_TRUE(Outcome(worker_->Pull({kMaxKey}, &vals)).ok());
  EXPECT_EQ(vals, std::vector<float>{2});
}

std::vector<Key> SmallIntegers() {
  std::vector<Key> keys(2000);
  std::iota(keys.begin(), keys.end(), 0);
  return keys;
}

using RegressB15 = AppRegressValues;
TEST_F(RegressB15, OneWarningWhenAServerGetsAllKeys) {
  LogCapture log;
  for (int i = 0; i < 3; ++i)
    EXPECT_TRUE(Outcome(worker_->Push(SmallIntegers(), std::vector<float>(2000))).ok());
  EXPECT_EQ(log.Count("PS_KEY_PARTITION=hash"), 1);
}

class RegressB15Hash : public AppRegressValues {
 protected:
  RegressB15Hash() : AppRegressValues(2, KeyPartition::kHash) {}
};
TEST_F(RegressB15Hash, SmallKeysSpreadOverTheServers) {
  std::vector<std::size_t> num_keys;
  SetHandle([&num_keys](const KVMeta& req, const KVPairs<float>& data, Server* server) {
    static Mutex mutex;
    MutexLock lock(mutex);
    num_keys.push_back(data.keys.size());
    server->Response(req);
  });
  EXPECT_TRUE(Outcome(worker_->Push(SmallIntegers(), std::vector<float>(2000))).ok());
  ASSERT_EQ(num_keys.size(), 2u);
  EXPECT_GT(std::min(num_keys[0], num_keys[1]), 900u);
}

using RegressB16 = AppRegressValues;
TEST_F(RegressB16, UnsortedKeysAreRefusedBeforeAnythingIsSent) {
  std::atomic<int> requests{0};
  SetHandle([&requests](const KVMeta& req, const KVPairs<float>&, Server* server) {
    ++requests;
    server->Response(req);
  });
  std::vector<float> vals;
  EXPECT_THROW(worker_->Push({2, 1}, {1, 2}), Error);
  EXPECT_THROW(worker_->Pull({2, 1}, &vals), Error);
  EXPECT_THROW(worker_->Push({1, 2}, {1, 2, 3}), Error);
  EXPECT_THROW(worker_->Push({1, 2}, {1, 2}, {1, 2}), Error);
  std::vector<float> outs(1);
  EXPECT_THROW(worker_->PushPull({1, 2}, {1, 2}, &outs), Error);
  EXPECT_TRUE(Outcome(worker_->Push({1}, {1})).ok());
  EXPECT_EQ(requests, 1);
}

using RegressB18 = AppRegressValues;
TEST_F(RegressB18, AWrongBufferFailsThatRequestOnly) {
  EXPECT_TRUE(Outcome(worker_->Push({1, kMaxKey}, {1, 2})).ok());
  std::vector<float> vals(3);
  const Status failed = Outcome(worker_->Pull({1, kMaxKey}, &vals));
  EXPECT_EQ(failed.code(), StatusCode::kInvalidArgument);
  std::vector<float> right;
  std::vector<int> lens(1);
  EXPECT_FALSE(Outcome(worker_->Pull({1, kMaxKey}, &right, &lens)).ok());
  right.clear();
  EXPECT_TRUE(Outcome(worker_->Pull({1, kMaxKey}, &right)).ok());
  EXPECT_EQ(right, (std::vector<float>{1, 2}));
}

TEST_F(RegressB18, WrongAnswersFailThatRequestAndNameTheServer) {
  int kind = 0;
  SetHandle([&kind](const KVMeta& req, const KVPairs<float>& data, Server* server) {
    KVPairs<float> res;
    if (kind == 1) res = {data.keys.segment(0, 1), SArray<float>(1), {}, 0};   // partial
    if (kind == 2) res = {data.keys, SArray<float>(3), {}, 0};                 // no even length
    if (kind == 3) res = {data.keys, SArray<float>(2), SArray<int>(1, 2), 0};  // lens for one key
    if (kind == 4) res = {SArray<Key>(2, 99), SArray<float>(2), {}, 0};        // foreign keys
    if (kind == 5) res = {data.keys, SArray<float>(2), {}, 0};                 // right
    server->Response(req, res);
  });
  for (kind = 0; kind <= 5; ++kind) {
    std::vector<float> vals;
    const Status outcome = Outcome(worker_->Pull({1, 2}, &vals));
    EXPECT_EQ(outcome.ok(), kind == 5) << kind;
    EXPECT_TRUE(kind == 5 || outcome.message().find("server 0 (id 8") != std::string::npos) << outcome;
  }
}

using RegressB19 = AppRegressValues;
TEST_F(RegressB19, TheDefaultHandleTakesAnyLength) {
  EXPECT_TRUE(Outcome(worker_->Push({1, 2}, {1, 2, 3, 4})).ok());
  EXPECT_TRUE(Outcome(worker_->Push({3, 4}, {5, 6}, {0, 2})).ok());
  std::vector<float> vals;
  std::vector<int> lens;
  EXPECT_TRUE(Outcome(worker_->Pull({1, 2, 3, 4}, &vals, &lens)).ok());
  EXPECT_EQ(vals, (std::vector<float>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(lens, (std::vector<int>{2, 2, 0, 2}));
}

using RegressB20 = AppRegressValues;
TEST_F(RegressB20, ASecondResponseIsLoggedAndIgnored) {
  SetHandle([](const KVMeta& req, const KVPairs<float>&, Server* server) {
    server->Response(req);
    server->Response(req);
  });
  LogCapture log;
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(Outcome(worker_->Push({1, kMaxKey}, {1, 2})).ok());
  // The second answers to the first ten came before the last one's first, and the thread that logs them
  // before it runs a callback.
  EXPECT_TRUE(Outcome(worker_->Push({1, kMaxKey}, {1, 2}, {}, 0, [] {})).ok());
  EXPECT_EQ(log.Count("it is not waited for"), 1);
}

TEST_F(RegressB20, AnUnknownTimestampIsAnError) {
  EXPECT_EQ(Outcome(12345).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(Outcome(-1).code(), StatusCode::kInvalidArgument);
  EXPECT_THROW(worker_->Wait(12345), Error);
  EXPECT_THROW(worker_->get_customer()->NumResponse(12345), Error);
  EXPECT_THROW(worker_->get_customer()->AddResponse(12345), Error);
}

TEST_F(RegressB20, AShortSlicerSkipsTheRestAndALongOneIsRefused) {
  std::size_t slots = 1;
  worker_->set_slicer(
      [&slots](const KVPairs<float>& send, const std::vector<Range>&, KVWorker<float>::SlicedKVs* sliced) {
        sliced->resize(slots);
        (*sliced)[0] = {true, send};
      });
  EXPECT_TRUE(Outcome(worker_->Push({1, kMaxKey}, {1, 2})).ok());
  slots = 3;
  EXPECT_THROW(worker_->Push({1, kMaxKey}, {1, 2}), Error);
}

}  // namespace
}  // namespace ps

// case-15: the edges of the key space, with several numbers of servers and both partitions (B-14).
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <mutex>
#include <set>

#include "ps/kv_app.h"
#include "ps/local_cluster.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

constexpr Key kHalf = Key{1} << 63;
const std::vector<Key> kEdges = {0, 1, kHalf - 1, kHalf, kMaxKey - 2, kMaxKey - 1, kMaxKey};

struct Setting {
  int servers;
  KeyPartition partition;
};

// The keys each server has seen.
class Witness {
 public:
  void Saw(int rank, const SArray<Key>& keys) {
    std::lock_guard<std::mutex> lock(mutex_);
    for (Key key : keys) seen_[key].insert(rank);
  }
  std::set<int> ServersOf(Key key) {
    std::lock_guard<std::mutex> lock(mutex_);
    return seen_[key];
  }

 private:
  std::mutex mutex_;
  std::map<Key, std::set<int>> seen_;
};

class EdgeKeysTest : public testing::TestWithParam<Setting> {};

TEST_P(EdgeKeysTest, EveryKeyIsKeptByExactlyOneServer) {
  Watchdog watchdog(std::chrono::seconds(20));
  LocalClusterOptions options;
  options.servers = GetParam().servers;
  options.config.key_partition = GetParam().partition;
  LocalCluster cluster(options);
  ASSERT_TRUE(cluster.Start().ok());
  Witness witness;
  std::vector<std::unique_ptr<KVServer<float>>> servers;
  for (int rank = 0; rank < options.servers; ++rank) {
    servers.push_back(std::make_unique<KVServer<float>>(&cluster.server(rank), 0));
    auto store = std::make_shared<KVServerDefaultHandle<float>>();
    servers.back()->set_request_handle(
        [&witness, store, rank](const KVMeta& meta, const KVPairs<float>& data, KVServer<float>* server) {
          witness.Saw(rank, data.keys);
          (*store)(meta, data, server);
        });
  }
  KVWorker<float> worker(&cluster.worker(0), 0, 0);
  const std::vector<float> vals = {1, 2, 3, 4, 5, 6, 7};
  worker.Wait(worker.Push(kEdges, vals));
  std::vector<float> pulled;
  worker.Wait(worker.Pull(kEdges, &pulled));
  EXPECT_EQ(pulled, vals);
  std::vector<float> outs;
  worker.Wait(worker.PushPull(kEdges, vals, &outs));
  EXPECT_EQ(outs, (std::vector<float>{2, 4, 6, 8, 10, 12, 14}));

  const std::vector<Range>& ranges = cluster.worker(0).GetServerKeyRanges();
  for (Key key : kEdges) {
    const std::set<int> at = witness.ServersOf(key);
    ASSERT_EQ(at.size(), 1u) << "key " << key;
    if (GetParam().partition == KeyPartition::kHash) continue;
    const Range& range = ranges.at(static_cast<size_t>(*at.begin()));
    EXPECT_GE(key, range.begin());
    EXPECT_TRUE(key < range.end() || key == kMaxKey) << "key " << key;
  }
  EXPECT_TRUE(cluster.Finalize().ok());
}

TEST_P(EdgeKeysTest, RangesBeginWhereProgramsExpectThem) {
  const int n = GetParam().servers;
  LocalCluster cluster(n, 1);
  ASSERT_TRUE(cluster.Start().ok());
  const std::vector<Range>& ranges = cluster.worker(0).GetServerKeyRanges();
  ASSERT_EQ(ranges.size(), static_cast<size_t>(n));
  for (int i = 0; i < n; ++i) {
    EXPECT_EQ(ranges[static_cast<size_t>(i)].begin(), kMaxKey / static_cast<Key>(n) * static_cast<Key>(i));
  }
  EXPECT_EQ(ranges.back().end(), kMaxKey);
  EXPECT_TRUE(cluster.Finalize().ok());
}

std::vector<Setting> Settings() {
  std::vector<Setting> settings;
  for (KeyPartition partition : {KeyPartition::kRange, KeyPartition::kHash}) {
    for (int servers : {1, 2, 3, 5, 7}) settings.push_back({servers, partition});
  }
  return settings;
}

INSTANTIATE_TEST_SUITE_P(Case15, EdgeKeysTest, testing::ValuesIn(Settings()), [](const auto& info) {
  return std::to_string(info.param.servers) +
         (info.param.partition == KeyPartition::kHash ? "Hash" : "Range");
});

}  // namespace
}  // namespace ps

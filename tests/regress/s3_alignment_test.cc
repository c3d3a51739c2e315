// s3: keys, values and lens reach a handle aligned for their type, on every transport (B-26).
#include <gtest/gtest.h>

#include <atomic>
#include <memory>

#include "ps/kv_app.h"
#include "ps/local_cluster.h"
#include "tests/support/memory.h"
#include "tests/support/socket_cluster.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

using std::chrono::seconds;

template <typename T>
bool Aligned(const SArray<T>& array) {
  return reinterpret_cast<uintptr_t>(array.data()) % alignof(T) == 0;
}

// What a server and a worker saw.
struct Sight {
  std::atomic<int> requests{0};
  std::atomic<int> misaligned{0};

  template <typename Val>
  void Look(const KVPairs<Val>& data) {
    ++requests;
    if (!Aligned(data.keys) || !Aligned(data.vals) || !Aligned(data.lens)) ++misaligned;
  }
};

// Push and pull of `n` keys with one value each, with and without lens.
template <typename Val>
void Exchange(KVWorker<Val>* worker, size_t n) {
  SArray<Key> keys(n, 0);
  SArray<Val> vals(n, Val(1));
  for (size_t i = 0; i < n; ++i) keys[i] = static_cast<Key>(i);
  const SArray<int> lens(n, 1);
  SArray<Val> pulled;
  SArray<int> pulled_lens;
  ASSERT_EQ(worker->WaitFor(worker->ZPush(keys, vals), seconds(10)), Status::Ok());
  ASSERT_EQ(worker->WaitFor(worker->ZPush(keys, vals, lens), seconds(10)), Status::Ok());
  ASSERT_EQ(worker->WaitFor(worker->ZPull(keys, &pulled, &pulled_lens), seconds(10)), Status::Ok());
  EXPECT_TRUE(Aligned(pulled));
  EXPECT_TRUE(Aligned(pulled_lens));
  EXPECT_EQ(pulled.size(), n);
}

template <typename Val, typename Cluster>
void RunType(Cluster* cluster, int app) {
  Sight sight;
  KVServer<Val> server(&cluster->server(0), app);
  KVServerDefaultHandle<Val> store;
  server.set_request_handle([&](const KVMeta& meta, const KVPairs<Val>& data, KVServer<Val>* to) {
    sight.Look(data);
    store(meta, data, to);
  });
  KVWorker<Val> worker(&cluster->worker(0), app, 0);
  int expected = 0;
  for (size_t n :
       {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 15, 16, 17, 63, 64, 65, 1000, 1001, 9999, 65537, 100000}) {
    Exchange(&worker, n);
    expected += 3;
  }
  EXPECT_EQ(sight.requests.load(), expected);
  EXPECT_EQ(sight.misaligned.load(), 0);
}

template <typename Cluster>
void RunAll(Cluster* cluster) {
  ASSERT_TRUE(cluster->Start().ok());
  RunType<float>(cluster, 0);
  RunType<double>(cluster, 1);
  RunType<int8_t>(cluster, 2);
  RunType<uint16_t>(cluster, 3);
  EXPECT_TRUE(cluster->Finalize().ok());
}

TEST(S3, ArraysAreAlignedInOneProcess) {
  Watchdog watchdog(seconds(40));
  LocalCluster cluster(1, 1);
  RunAll(&cluster);
}

TEST(RegressB26, ArraysAreAlignedOverSockets) {
  Watchdog watchdog(seconds(40));
  if (UnderThreadSanitizer()) GTEST_SKIP() << "libzmq is not instrumented";
  SocketCluster cluster(1, 1);
  RunAll(&cluster);
}

// Small chunks: blocks are put together from many frames, at odd places.
TEST(RegressB26, ArraysAreAlignedWhenTheyComeInOddChunks) {
  Watchdog watchdog(seconds(40));
  Config config;
  config.chunk_bytes = 1001;
  if (UnderThreadSanitizer()) GTEST_SKIP() << "libzmq is not instrumented";
  SocketCluster cluster(1, 1, config);
  ASSERT_TRUE(cluster.Start().ok());
  RunType<double>(&cluster, 0);
  EXPECT_TRUE(cluster.Finalize().ok());
}

}  // namespace
}  // namespace ps

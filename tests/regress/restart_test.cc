// Start, work, Finalize, again and again in one process: nothing is left behind (B-49, B-30, B-31, R22).
#include <gtest/gtest.h>
#include <malloc.h>
#include <unistd.h>

#include <cstdio>
#include <memory>

#include "ps/kv_app.h"
#include "ps/local_cluster.h"
#include "tests/support/job.h"
#include "tests/support/memory.h"
#include "tests/support/socket_cluster.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

using std::chrono::seconds;

template <typename Cluster>
void RunOnce(Cluster* cluster) {
  ASSERT_EQ(cluster->Start(), Status::Ok());
  {
    KVServer<float> first(&cluster->server(0), 0);
    KVServer<float> second(&cluster->server(1), 0);
    first.set_request_handle(KVServerDefaultHandle<float>());
    second.set_request_handle(KVServerDefaultHandle<float>());
    EXPECT_EQ(cluster->worker(1).my_rank(), 1);
    KVWorker<float> worker(&cluster->worker(1), 0, 0);
    const std::vector<Key> keys = {1, kMaxKey};
    ASSERT_EQ(worker.WaitFor(worker.Push(keys, {1, 2}), seconds(10)), Status::Ok());
    std::vector<float> pulled;
    ASSERT_EQ(worker.WaitFor(worker.Pull(keys, &pulled), seconds(10)), Status::Ok());
    EXPECT_EQ(pulled, (std::vector<float>{1, 2}));
  }
  ASSERT_EQ(cluster->Finalize(), Status::Ok());
}

template <typename Cluster>
void ExpectFlat(Cluster* cluster, const char* transport) {
  const int times = LongForms() ? 1000 : 100;
  const seconds limit(LongForms() ? 200 : 55);
  Watchdog watchdog(limit);
  alarm(
      static_cast<unsigned>(static_cast<double>(limit.count()) * TestTimeScale()));  // the limit of one test
  const int warm_up = times / 4;
  int64_t threads = 0;
  int64_t descriptors = 0;
  int64_t resident_kb = 0;
  for (int i = 0; i < times; ++i) {
    if (i == warm_up) {
      malloc_trim(0);
      threads = NumThreads();
      descriptors = NumDescriptors();
      resident_kb = ResidentKb();
    }
    RunOnce(cluster);
    if (testing::Test::HasFatalFailure()) return;
  }
  malloc_trim(0);
  const int64_t grown_kb = ResidentKb() - resident_kb;
  std::printf(
      "FIGURE R22 %d times Start and Finalize over %s, after a quarter: threads %+d, descriptors %+d, memory "
      "%+d kB\n",
      times, transport, static_cast<int>(NumThreads() - threads),
      static_cast<int>(NumDescriptors() - descriptors), static_cast<int>(grown_kb));
  EXPECT_EQ(NumThreads(), threads);
  EXPECT_EQ(NumDescriptors(), descriptors);
  EXPECT_TRUE(UnderSanitizer() || grown_kb < 2048);
}

TEST(RegressB49B30B31, RestartsInOneProcessLeaveNothingBehind) {
  LocalCluster cluster(2, 2);
  ExpectFlat(&cluster, "memory");
}

TEST(RegressB49, RestartsOverSocketsLeaveNothingBehind) {
  if (UnderThreadSanitizer()) GTEST_SKIP() << "libzmq is not instrumented";
  SocketCluster cluster(2, 2);
  ExpectFlat(&cluster, "sockets");
}

}  // namespace
}  // namespace ps

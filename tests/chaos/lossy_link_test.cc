// case-21: links that lose 10 %, double 5 % and delay by up to 50 ms; and what must not happen on links that
// lose nothing. The counts are larger with PS_TEST_LONG=1.
#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "ps/ps.h"
#include "tests/support/chaos.h"
#include "tests/support/figure.h"
#include "tests/support/increment_cluster.h"
#include "tests/support/job.h"
#include "tests/support/memory.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

constexpr size_t kWindow = 256;

ChaosOptions Weather(double drop_percent, int max_delay_ms) {
  ChaosOptions options;
  options.seed = ChaosNumber("PS_CHAOS_SEED", 1);
  options.drop_percent = drop_percent;
  options.duplicate_percent = drop_percent / 2;
  options.delay_percent = max_delay_ms > 0 ? 100 : 0;
  options.max_delay_ms = max_delay_ms;
  return options;
}

LocalClusterOptions OptionsOf(int nodes_per_role, int64_t resend_timeout_ms, const ChaosOptions& weather) {
  LocalClusterOptions options;
  options.servers = options.workers = nodes_per_role;
  options.config.resend_timeout_ms = resend_timeout_ms;
  options.wrap_transport = Chaotic(weather);
  return options;
}

void ExpectExact(IncrementCluster* cluster, int pushes) {
  EXPECT_EQ(cluster->num_pushes(), static_cast<uint64_t>(pushes));
  EXPECT_EQ(cluster->num_repeated(), 0u);
  EXPECT_EQ(cluster->Sum(), pushes);
}

class Case21Test : public testing::Test {
 protected:
  Watchdog watchdog_{std::chrono::seconds(50)};
};

TEST_F(Case21Test, FiveThousandIncrementsAreExact) {
  constexpr int kIncrements = 5000;
  IncrementCluster cluster(OptionsOf(2, 200, Weather(10, 50)));
  const Status started = cluster.Start();
  ASSERT_TRUE(started.ok()) << started;
  const double rate = cluster.Push(kIncrements, kWindow);
  ExpectExact(&cluster, kIncrements);
  const Status finalized = cluster.Finalize();
  EXPECT_TRUE(finalized.ok()) << finalized;
  if (!HasFailure()) PS_FIGURE("C21", kIncrements << " increments exact, " << static_cast<int>(rate) << "/s");
}

// Blocks the handle much longer than the time after which an answer is asked for.
TEST_F(Case21Test, AHandleThatTakesLongRunsOnce) {
  const std::chrono::milliseconds busy(LongForms() ? 15000 : 1000);
  LocalCluster cluster(OptionsOf(1, LongForms() ? 200 : 10, Weather(10, 5)));
  ThrowIfError(cluster.Start());
  std::atomic<int> runs{0};
  std::mutex mutex;
  std::condition_variable never;
  KVServer<float> server(&cluster.server(0), 0);
  server.set_request_handle([&](const KVMeta& meta, const KVPairs<float>&, KVServer<float>* answering) {
    ++runs;
    std::unique_lock<std::mutex> lock(mutex);
    never.wait_for(lock, busy, [] { return false; });
    answering->Response(meta);
  });
  {
    KVWorker<float> worker(&cluster.worker(0), 0, 0);
    worker.Wait(worker.Push({1}, {1}));
  }
  EXPECT_EQ(runs.load(), 1);
  const Status finalized = cluster.Finalize();
  EXPECT_TRUE(finalized.ok()) << finalized;
  EXPECT_EQ(runs.load(), 1);
  if (!HasFailure()) PS_FIGURE("C21b", "busy for " << busy.count() << " ms, ran " << runs << " time");
}

// Two customer ids of one program are two nodes; their messages are never taken for each other's.
TEST_F(Case21Test, SumsOfTwoCustomerIdsPerWorkerAreExact) {
  const int pushes = LongForms() ? 5000 : 500;
  LocalClusterOptions options = OptionsOf(2, 20, Weather(10, 5));
  options.ids_per_worker = 2;
  options.config.resend = true;
  LocalCluster cluster(options);
  const std::vector<Key> keys = {0, kMaxKey};
  const auto work = [&](Postoffice* process, int customer_id) {
    const ScopedPostoffice bound(process);
    ps::Start(customer_id);
    {
      KVWorker<double> worker(0, customer_id);
      PushOnes(&worker, keys, pushes, kWindow);
      Postoffice::Get()->Barrier(customer_id, kWorkerGroup);
      EXPECT_EQ(PullAll(&worker, keys), std::vector<double>(keys.size(), 4 * pushes));
    }
    ps::Finalize(customer_id);
  };
  cluster.RunProgram([&](Postoffice& node) {
    if (node.is_worker()) {
      std::thread second(work, &node, 1);
      work(&node, 0);
      second.join();
      return;
    }
    node.Start(0, nullptr, true);
    std::unique_ptr<IncrementServer> server;
    if (node.is_server()) server = std::make_unique<IncrementServer>(&node);
    node.Finalize(0, true);
    if (server == nullptr) return;
    EXPECT_EQ(server->num_repeated(), 0u);
  });
  if (!HasFailure()) PS_FIGURE("C21c", 4 * pushes << " increments of 4 customer ids exact");
}

TEST_F(Case21Test, MemoryStaysFlatUnderLoss) {
  const int pushes = LongForms() ? 1000000 : 100000;
  IncrementCluster cluster(OptionsOf(1, 5, Weather(10, 0)));
  const Status started = cluster.Start();
  ASSERT_TRUE(started.ok()) << started;
  cluster.Push(pushes / 10, kWindow);
  const int64_t early_bytes = HeapBytes();
  const double rate = cluster.Push(pushes - pushes / 10, kWindow);
  const int64_t grown = HeapBytes() - early_bytes;
  ExpectExact(&cluster, pushes);
  if (!UnderSanitizer()) {
    EXPECT_LT(grown, 1 << 20);
  }
  const Status finalized = cluster.Finalize();
  EXPECT_TRUE(finalized.ok()) << finalized;
  if (HasFailure()) return;
  PS_FIGURE("C21d",
            pushes << " pushes, heap grew by " << grown / 1024 << " KiB, " << static_cast<int>(rate) << "/s");
}

// Questions are allowed, answers to them are not: nothing was lost.
TEST_F(Case21Test, NothingIsSentAgainWhereNothingIsLost) {
  const int pushes = LongForms() ? 100000 : 10000;
  uint64_t questions = 0;
  for (const int max_delay_ms : {0, 50}) {
    IncrementCluster cluster(OptionsOf(2, 200, Weather(0, max_delay_ms)));
    const Status started = cluster.Start();
    ASSERT_TRUE(started.ok()) << started;
    cluster.Push(pushes, kWindow);
    ExpectExact(&cluster, pushes);
    EXPECT_EQ(cluster.Count(Counter::kResendsSent), 0u) << "delayed by up to " << max_delay_ms << " ms";
    EXPECT_EQ(cluster.Count(Counter::kDuplicatesDropped), 0u);
    questions += cluster.Count(Counter::kResendsAsked);
    const Status finalized = cluster.Finalize();
    EXPECT_TRUE(finalized.ok()) << finalized;
  }
  if (HasFailure()) return;
  PS_FIGURE("C21e", 2 * pushes << " pushes, 0 sent again, " << questions << " questions");
}

}  // namespace
}  // namespace ps

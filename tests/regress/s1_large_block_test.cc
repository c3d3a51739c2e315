// s1: one value of 2 GiB and 8 bytes (B-17), and what is over the limit.
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <memory>

#include "base/clock.h"
#include "ps/kv_app.h"
#include "ps/local_cluster.h"
#include "tests/support/memory.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

using std::chrono::seconds;

constexpr int64_t kKbPerGib = 1 << 20;

uint64_t Value(uint64_t i) { return i * 0x9E3779B97F4A7C15ULL; }

// Keeps what is pushed, and answers pulls with it.
KVServer<uint64_t>::ReqHandle Keeper(KVPairs<uint64_t>* kept) {
  return [kept](const KVMeta& meta, const KVPairs<uint64_t>& data, KVServer<uint64_t>* server) {
    if (meta.push) *kept = data;
    server->Response(meta, meta.pull ? *kept : KVPairs<uint64_t>());
  };
}

// False when touching that much new memory takes so long that the rest, five times as much, would not be done
// within the limit of a test.
bool Fill(SArray<uint64_t>* vals) {
  constexpr int64_t kMostMs = 15000;
  const int64_t began_ms = Clock::Real().NowMs();
  for (uint64_t i = 0; i < vals->size(); ++i) {
    (*vals)[i] = Value(i);
    if (i % (1 << 20) == 0 && Clock::Real().NowMs() - began_ms > kMostMs) return false;
  }
  return true;
}

TEST(S1, AValueAboveTwoGibTravelsBothWaysWithOneCopyOnEachSide) {
  if (UnderSanitizer()) GTEST_SKIP() << "a sanitizer needs a multiple of this memory";
  if (AvailableKb() < 16 * kKbPerGib)
    GTEST_SKIP() << "needs 16 GiB of free memory, this machine has " << AvailableKb() / kKbPerGib;
  alarm(110);  // longer than the limit of other tests: touching new memory is slow on some machines
  Watchdog watchdog(seconds(100));
  const uint64_t number = (uint64_t{2} << 30) / 8 + 1;
  SArray<uint64_t> vals = SArray<uint64_t>::Uninitialized(number);
  if (!Fill(&vals)) GTEST_SKIP() << "other programs leave this machine too little time";
  LocalCluster cluster(1, 1);
  ASSERT_TRUE(cluster.Start().ok());
  KVPairs<uint64_t> kept;
  KVServer<uint64_t> server(&cluster.server(0), 0);
  server.set_request_handle(Keeper(&kept));
  KVWorker<uint64_t> worker(&cluster.worker(0), 0, 0);
  const int64_t payload_kb = static_cast<int64_t>(number / 128);
  const int64_t base_kb = ResidentKb();

  ForgetPeak();
  int64_t began = Clock::Real().NowMs();
  worker.Wait(worker.ZPush({1}, vals));
  const int64_t push_ms = Clock::Real().NowMs() - began;
  const int64_t push_peak_kb = PeakKb() - base_kb;
  for (uint64_t i = 0; i < number; ++i) vals[i] = 0;

  const int64_t before_pull_kb = ResidentKb();
  ForgetPeak();
  began = Clock::Real().NowMs();
  worker.Wait(worker.ZPull({1}, &vals));
  const int64_t pull_ms = Clock::Real().NowMs() - began;
  const int64_t pull_peak_kb = PeakKb() - before_pull_kb;

  uint64_t wrong = 0;
  for (uint64_t i = 0; i < number; ++i) wrong += vals[i] != Value(i) ? 1 : 0;
  EXPECT_EQ(wrong, 0u);
  std::printf("s1: push %d ms, peak +%.2f payloads; pull %d ms, peak +%.2f payloads\n",
              static_cast<int>(push_ms), static_cast<double>(push_peak_kb) / static_cast<double>(payload_kb),
              static_cast<int>(pull_ms), static_cast<double>(pull_peak_kb) / static_cast<double>(payload_kb));
  // Both sides are this process. The push: the worker's payload is there before, the server keeps one and may
  // have one copy on its way, the worker may have one. The pull: the server's and the worker's payload are
  // there before.
  const int64_t slack_kb = 64 << 10;
  EXPECT_LE(push_peak_kb, 3 * payload_kb + slack_kb);
  EXPECT_LE(pull_peak_kb, 2 * payload_kb + slack_kb);
  EXPECT_TRUE(cluster.Finalize().ok());
}

class OverTheLimitTest : public testing::Test {
 protected:
  void SetUp() override {
    LocalClusterOptions options;
    options.config.max_message_bytes = 1 << 20;
    cluster_ = std::make_unique<LocalCluster>(options);
    ASSERT_TRUE(cluster_->Start().ok());
    server_ = std::make_unique<KVServer<uint64_t>>(&cluster_->server(0), 0);
    server_->set_request_handle(
        [this](const KVMeta& meta, const KVPairs<uint64_t>& data, KVServer<uint64_t>* server) {
          ++handled_;
          KVPairs<uint64_t> answer;
          if (meta.pull) answer = {data.keys, SArray<uint64_t>(static_cast<size_t>(meta.cmd), 7), {}};
          server->Response(meta, answer);
        });
    worker_ = std::make_unique<KVWorker<uint64_t>>(&cluster_->worker(0), 0, 0);
  }
  void TearDown() override { EXPECT_TRUE(cluster_->Finalize().ok()); }

  Watchdog watchdog_{seconds(20)};
  std::unique_ptr<LocalCluster> cluster_;
  std::unique_ptr<KVServer<uint64_t>> server_;
  std::unique_ptr<KVWorker<uint64_t>> worker_;
  std::atomic<int> handled_{0};
};

TEST_F(OverTheLimitTest, APushIsRefusedAndTheNextOneWorks) {
  const SArray<uint64_t> vals(1 << 20, 1);  // 8 MiB
  const Status outcome = worker_->WaitFor(worker_->ZPush({1}, vals), seconds(5));
  EXPECT_EQ(outcome.code(), StatusCode::kResourceExhausted) << outcome;
  EXPECT_NE(outcome.message().find("PS_MAX_MESSAGE_BYTES"), std::string::npos) << outcome;
  EXPECT_EQ(handled_.load(), 0);
  EXPECT_EQ(worker_->WaitFor(worker_->ZPush({1}, SArray<uint64_t>(1000, 1)), seconds(5)), Status::Ok());
}

TEST_F(OverTheLimitTest, AnAnswerThatIsTooLargeFailsThePull) {
  SArray<uint64_t> pulled;
  const Status outcome = worker_->WaitFor(worker_->ZPull({1}, &pulled, nullptr, 1 << 20), seconds(5));
  EXPECT_EQ(outcome.code(), StatusCode::kResourceExhausted) << outcome;
  SArray<uint64_t> small;
  EXPECT_EQ(worker_->WaitFor(worker_->ZPull({1}, &small, nullptr, 100), seconds(5)), Status::Ok());
  EXPECT_EQ(small.size(), 100u);
}

}  // namespace
}  // namespace ps

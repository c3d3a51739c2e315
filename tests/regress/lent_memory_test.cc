// Arrays from ps::Alloc between nodes that share memory: who sees them, who gets a copy, and what is counted.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "base/counters.h"
#include "ps/ps.h"
#include "tests/support/memory.h"
#include "tests/support/socket_cluster.h"
#include "tests/support/watchdog.h"
#include "van/van_core.h"

namespace ps {
namespace {

constexpr size_t kFloats = size_t{1} << 20;  // 4 MB: several frames
constexpr uint64_t kBytes = kFloats * sizeof(float);

Config OverShm() {
  Config config;
  config.van_type = "shm";
  return config;
}

class LentMemoryTest : public testing::Test {
 protected:
  void SetUp() override {
    if (UnderThreadSanitizer()) GTEST_SKIP() << "libzmq is not instrumented";
    ASSERT_TRUE(cluster_.Start().ok());
    server_ = std::make_unique<KVServer<float>>(&cluster_.server(0), 0);
    worker_ = std::make_unique<KVWorker<float>>(&cluster_.worker(0), 0, 0);
  }
  void TearDown() override {
    if (worker_ == nullptr) return;
    EXPECT_TRUE(cluster_.Finalize().ok());
  }
  static SArray<float> Shared(size_t n = kFloats, float value = 1) {
    SArray<float> array = Alloc<float>(n);
    std::fill(array.begin(), array.end(), value);
    return array;
  }
  uint64_t Copied(Postoffice& node) { return node.van()->core().counters().Get(Counter::kCopiedBytes); }
  void Push(const SArray<float>& values) { worker_->Wait(worker_->ZPush(keys_, values)); }

  const Watchdog watchdog_;
  SocketCluster cluster_{1, 1, OverShm()};
  const SArray<Key> keys_ = SArray<Key>(1, 5);
  std::unique_ptr<KVServer<float>> server_;
  std::unique_ptr<KVWorker<float>> worker_;
};

TEST_F(LentMemoryTest, AHandleThatBorrowsSeesTheMemoryAndNothingIsCopied) {
  SArray<float> values = Shared();
  bool same = false;
  bool mapped_apart = false;
  server_->set_request_handle(
      [&](const KVMeta& req, const KVPairs<float>& data, KVServer<float>* server) {
        same = data.vals.size() == kFloats && std::equal(values.begin(), values.end(), data.vals.begin());
        mapped_apart = data.vals.data() != values.data();
        values[kFloats / 2] = 7;  // what the sender must not do: it shows whose memory it is
        same = same && data.vals[kFloats / 2] == 7;
        server->Response(req);
      },
      kBorrow);
  const uint64_t before = Copied(cluster_.server(0));
  Push(values);
  EXPECT_TRUE(same);
  EXPECT_TRUE(mapped_apart) << "only to be read";
  EXPECT_EQ(Copied(cluster_.server(0)) - before, sizeof(Key)) << "no value";
}

TEST_F(LentMemoryTest, OtherHandlesOwnWhatTheyGetAndItIsCopiedOnce) {
  const SArray<float> values = Shared();
  SArray<float> kept;
  server_->set_request_handle([&](const KVMeta& req, const KVPairs<float>& data, KVServer<float>* server) {
    kept = data.vals;
    for (float& value : kept) value += 1;
    server->Response(req);
  });
  const uint64_t before = Copied(cluster_.server(0));
  Push(values);
  EXPECT_EQ(kept[kFloats - 1], 2.0f);
  EXPECT_EQ(values[kFloats - 1], 1.0f);
  EXPECT_EQ(Copied(cluster_.server(0)) - before, kBytes + sizeof(Key));
}

TEST_F(LentMemoryTest, ADefaultHandleThatBorrowsAddsAndAnswersAreCopiedIntoTheBuffer) {
  server_->set_request_handle(KVServerDefaultHandle<float>(), kBorrow);
  const SArray<float> values = Shared(kFloats, 3);
  for (int i = 0; i < 5; ++i) Push(values);
  SArray<float> full(kFloats);
  SArray<float> empty;
  const uint64_t before = Copied(cluster_.worker(0));
  worker_->Wait(worker_->ZPull(keys_, &full));
  worker_->Wait(worker_->ZPull(keys_, &empty));
  EXPECT_LT(Copied(cluster_.worker(0)) - before, 100u) << "but for the copy to where they belong";
  EXPECT_TRUE(std::all_of(full.begin(), full.end(), [](float value) { return value == 15; }));
  ASSERT_EQ(empty.size(), kFloats);
  empty[0] = 1;  // it is the caller's
  EXPECT_EQ(empty[kFloats - 1], 15.0f);
}

TEST_F(LentMemoryTest, WhatCameForAHandleThatBorrowsIsCopiedForTheNextOne) {
  std::atomic<int> handled{0};
  bool replaced = false;
  const auto owner = [&](const KVMeta& req, const KVPairs<float>& data, KVServer<float>* server) {
    data.vals.data()[0] = 9;
    ++handled;
    server->Response(req);
  };
  server_->set_request_handle(
      [&](const KVMeta& req, const KVPairs<float>&, KVServer<float>* server) {
        // The others have come meanwhile, or come later: both are copied.
        for (int i = 0; i < 1000 && !replaced; ++i) replaced = Copied(cluster_.server(0)) >= 5 * sizeof(Key);
        server->set_request_handle(owner);
        server->Response(req);
      },
      kBorrow);
  const SArray<float> values = Shared(100000);
  std::vector<int> open;
  for (int i = 0; i < 5; ++i) open.push_back(worker_->ZPush(keys_, values));
  for (const int timestamp : open) worker_->Wait(timestamp);
  EXPECT_EQ(handled, 4);
  EXPECT_EQ(values[0], 1.0f);
}

TEST_F(LentMemoryTest, MemoryIsUsedAgainWhenTheRequestsAreDone) {
  server_->set_request_handle(KVServerDefaultHandle<float>(), kBorrow);
  Push(Shared());
  const int64_t before_kb = ResidentKb();
  for (int i = 0; i < 200; ++i) Push(Shared());
  SArray<float> sums;
  worker_->Wait(worker_->ZPull(keys_, &sums));
  EXPECT_EQ(sums[kFloats - 1], 201.0f);
  EXPECT_TRUE(UnderSanitizer() || ResidentKb() - before_kb < 200000);
}

TEST_F(LentMemoryTest, RequestsThatAreGivenUpLeaveTheMemoryToTheirOwner) {
  std::atomic<bool> release{false};
  server_->set_request_handle(
      [&](const KVMeta& req, const KVPairs<float>& data, KVServer<float>* server) {
        while (!release.load()) std::this_thread::yield();
        server->Response(req, data.vals.empty() ? KVPairs<float>() : KVPairs<float>());
      },
      kBorrow);
  std::vector<SArray<float>> lent;
  for (int i = 0; i < 20; ++i) {
    lent.push_back(Shared(100000));
    worker_->ZPush(keys_, lent.back());
  }
  std::thread releases([&] { release = true; });
  worker_ = nullptr;  // its requests fail, and nothing refers to what they have lent
  releases.join();
  for (SArray<float>& values : lent) std::fill(values.begin(), values.end(), 2.0f);
  worker_ = std::make_unique<KVWorker<float>>(&cluster_.worker(0), 0, 0);
  Push(Shared(1000));
}

}  // namespace
}  // namespace ps

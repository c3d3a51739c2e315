#include "ps/kvstore.h"

#include <gtest/gtest.h>

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/kv_values.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

TEST(KVStoreTypesTest, UnknownOnesAreRefused) {  // V078
  ExpectError([] { KVStore::Create("no-such-store"); }, "no-such-store");
  EXPECT_EQ(KVStore::Create("Local_AllReduce_CPU")->Type(), "local_allreduce_cpu");
  KVStoreOptions options;
  options.name = "a/b";
  EXPECT_THROW(KVStore::Create("local", options), Error);
}

TEST(KVStoreTypesTest, WhetherOneHasServersIsKnownBeforeAnyRole) {
  for (const char* const type : {"dist", "DIST_sync", "dist_async", "dist_ssp:3", "dist_device_sync"})
    EXPECT_TRUE(IsDistributedType(type)) << type;
  for (const char* const type : {"local", "Device", "local_allreduce_cpu"})
    EXPECT_FALSE(IsDistributedType(type)) << type;
  ExpectError([] { (void)IsDistributedType("dist_synk"); }, "'dist_synk' is unknown; there are local");
  ExpectError([] { (void)IsDistributedType("dist_ssp:x"); }, "no number of rounds");
}

// A kind of store that a program brings along: `values` of a key are summed into `outs`, and nothing is kept.
class TestStore : public KVStore {
 public:
  explicit TestStore(const std::string& type) : KVStore(type) {}

  void Broadcast(const KVKeys&, const std::vector<Tensor>& values, const KVKeys&,
                 const std::vector<Tensor>& outs, int) override {
    const std::vector<float> value = ReadFloats(values.front());
    for (Tensor out : outs) out.CopyFrom(value.data());
  }
  Ticket PushPull(const KVKeys&, const std::vector<Tensor>& values, const KVKeys&,
                  const std::vector<Tensor>& outs, const KVPushOptions&) override {
    const std::vector<float> sum = SumOf(values);
    for (Tensor out : outs) out.CopyFrom(sum.data());
    return Ticket();
  }
  using KVStore::Broadcast;
  using KVStore::PushPull;

 protected:
  static std::vector<float> SumOf(const std::vector<Tensor>& values) {
    std::vector<float> sum = ReadFloats(values.front());
    for (std::size_t k = 1; k < values.size(); ++k) {
      const std::vector<float> more = ReadFloats(values[k]);
      for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += more[i];
    }
    return sum;
  }
};

std::unique_ptr<KVStore> NewTestStore() {
  RegisterKVStore("teststore", [](const std::string& type, const KVStoreOptions&) {
    return std::make_unique<TestStore>(type);
  });
  return KVStore::Create("teststore");
}

TEST(KVStorePlugInTest, V040ARegisteredStoreSumsAndBroadcasts) {
  const std::unique_ptr<KVStore> store = NewTestStore();
  const Tensor one = FloatsOf({1});
  const std::vector<Tensor> outs = {FloatsOf({0}), FloatsOf({0})};
  for (int turn = 0; turn < 2; ++turn) {  // it is allowed again
    store->Broadcast(1, {one}, {outs[0]});
    EXPECT_EQ(ReadFloats(outs[0]), std::vector<float>{1});
  }
  store->PushPull(KVKeys::Repeated(1, 2), {one, one}, outs).Wait();
  for (const Tensor& out : outs) EXPECT_EQ(ReadFloats(out), std::vector<float>{2});
  // V041: in place.
  store->PushPull(KVKeys::Repeated(1, 2), outs, outs).Wait();
  for (const Tensor& out : outs) EXPECT_EQ(ReadFloats(out), std::vector<float>{4});
}

TEST(KVStorePlugInTest, V042WhatItDoesNotHaveIsRefusedByName) {
  const std::unique_ptr<KVStore> store = NewTestStore();
  EXPECT_FALSE(store->is_capable("optimizer"));
  ExpectError([&] { store->SetOptimizer("sgd"); }, "teststore does not support SetOptimizer");
  ExpectError([&] { store->SaveOptimizerStates("x"); }, "does not support SaveOptimizerStates");
  ExpectError([&] { store->LoadOptimizerStates("x"); }, "does not support LoadOptimizerStates");
}

// The sum over all that take part; they meet in it.
class Ring {
 public:
  explicit Ring(int size) : size_(size) {}
  int size() const { return size_; }
  std::vector<float> AllReduce(const std::vector<float>& mine) {
    std::unique_lock<std::mutex> lock(mutex_);
    const int turn = turn_;
    if (sum_.empty()) sum_.resize(mine.size());
    for (std::size_t i = 0; i < mine.size(); ++i) sum_[i] += mine[i];
    if (++num_here_ == size_) {
      result_.swap(sum_);
      sum_.clear();
      num_here_ = 0;
      ++turn_;
      changed_.notify_all();
    }
    changed_.wait(lock, [&] { return turn_ != turn; });
    return result_;
  }

 private:
  const int size_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<float> sum_;     // guarded by mutex_, as the rest
  std::vector<float> result_;  // of the last turn
  int num_here_ = 0;
  int turn_ = 0;
};

class RingStore : public TestStore {
 public:
  RingStore(const std::string& type, Ring* ring, int rank) : TestStore(type), ring_(ring), rank_(rank) {}
  int rank() const override { return rank_; }
  int num_workers() const override { return ring_->size(); }
  Ticket PushPull(const KVKeys&, const std::vector<Tensor>& values, const KVKeys&,
                  const std::vector<Tensor>& outs, const KVPushOptions&) override {
    const std::vector<float> sum = ring_->AllReduce(SumOf(values));
    for (Tensor out : outs) out.CopyFrom(sum.data());
    return Ticket();
  }

 private:
  Ring* const ring_;
  const int rank_;
};

TEST(KVStorePlugInTest, V044AStoreOverAForeignAllReduceGivesTheSumOfAllWorkers) {
  const Watchdog watchdog;
  for (int n = 1; n <= 4; ++n) {
    Ring ring(n);
    std::vector<std::thread> workers;
    for (int rank = 0; rank < n; ++rank) {
      const std::string type = "ring" + std::to_string(rank);
      RegisterKVStore(type, [&ring, rank](const std::string& name, const KVStoreOptions&) {
        return std::make_unique<RingStore>(name, &ring, rank);
      });
      workers.emplace_back([type, n] {
        const std::unique_ptr<KVStore> store = KVStore::Create(type);
        EXPECT_EQ(store->num_workers(), n);
        const Tensor out = FloatsOf({0, 0});
        const auto mine = static_cast<float>(store->rank() + 1);
        for (int turn = 0; turn < 3; ++turn) {
          store->PushPull(1, {FloatsOf({mine, mine})}, {out}).Wait();
          EXPECT_EQ(ReadFloats(out), std::vector<float>(2, static_cast<float>(n * (n + 1) / 2)));
        }
      });
    }
    for (std::thread& worker : workers) worker.join();
  }
}

}  // namespace
}  // namespace ps

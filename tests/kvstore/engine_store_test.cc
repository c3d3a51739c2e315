#include "kvstore/engine_store.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/support/kv_values.h"
#include "tests/support/kv_world.h"

namespace ps {
namespace {

class OfOneProcess : public testing::TestWithParam<std::string> {
 protected:
  Watchdog watchdog_;
  std::unique_ptr<KVStore> store_ = KVStore::Create(GetParam());
};
INSTANTIATE_TEST_SUITE_P(Types, OfOneProcess, testing::Values("local", "device"));

TEST_P(OfOneProcess, KnowsItsKeys) {
  EXPECT_FALSE(store_->Has("w"));
  store_->Init("w", {Tensor::Full({2, 3}, 1, DType::kF64)});
  EXPECT_TRUE(store_->Has("w"));
  const KVKeyInfo info = store_->KeyInfo("w");
  EXPECT_EQ(info.shape, (Shape{2, 3}));
  EXPECT_EQ(info.dtype, DType::kF64);
  EXPECT_EQ(info.mode, "bsp");
  EXPECT_EQ(info.servers, std::vector<int>{0});
  EXPECT_EQ(store_->rank(), 0);
  EXPECT_EQ(store_->num_workers(), 1);
  EXPECT_TRUE(store_->is_capable("optimizer"));
  ExpectError([&] { static_cast<void>(store_->is_capable("x")); }, "Unknown capability: x");
  ExpectError([&] { store_->KeyInfo("v"); }, "key v doesn't exist. Did you init?");
}

TEST(KVStoreClusterTest, StoresOfOneNodeAreNameSpacesOfTheirOwnMode) {
  KVWorld world("dist_sync", 2, 2);
  world.Run([&](int worker, KVStore& sync) {
    KVStoreOptions options;
    options.name = "other";
    options.node = &world.cluster()->worker(worker);
    const std::unique_ptr<KVStore> async = KVStore::Create("dist_async", options);
    async->SetOptimizer("add rate=1");
    sync.Init(1, {FloatsOf({1})});
    async->Init(1, {FloatsOf({10})});
    sync.Push(1, {FloatsOf({3})});
    async->Push(1, {FloatsOf({5})});
    async->Barrier();
    Tensor a = FloatsOf({0});
    Tensor b = FloatsOf({0});
    sync.Pull(1, {a});
    async->Pull(1, {b});
    EXPECT_EQ(ReadFloats(a), std::vector<float>{6});
    EXPECT_EQ(ReadFloats(b), std::vector<float>{20});
    EXPECT_EQ(async->KeyInfo(1).mode, "asp");
  });
}

TEST(KVStoreClusterTest, KeysAreFoundWhoeverMadeThem) {
  KVWorld world("dist_sync", 2, 2);
  world.Run([&](int worker, KVStore& store) {
    KVStoreOptions options;
    options.node = &world.cluster()->worker(worker);
    store.Init(1, {FloatsOf({1})});
    EXPECT_TRUE(KVStore::Create("dist_sync", options)->Has(1)) << "through another store of the name";
    EXPECT_FALSE(store.Has(2));
  });
}

TEST(KVStoreClusterTest, TheMeanIsOfTheWorkers) {
  KVStoreOptions options;
  options.mean = true;
  KVWorld world("dist_sync", 2, 4, options);
  world.Run([](int worker, KVStore& store) {
    store.Init(1, {FloatsOf({0})});
    store.Push(1, {FloatsOf({static_cast<float>(worker)})});
    Tensor out = FloatsOf({9});
    store.Pull(1, {out});
    EXPECT_EQ(ReadFloats(out), std::vector<float>{1.5});
  });
  ExpectError(
      [] {
        KVStoreOptions wrong;
        wrong.mean = true;
        KVWorld("dist_async", 1, 1, wrong);
      },
      "mean");
}

// kv-case-01: the third worker has a round less.
TEST(KVStoreClusterTest, WhoHasDoneLeaves) {
  KVWorld world("dist_sync", 2, 3);
  world.Run([&](int worker, KVStore& store) {
    store.Init(1, {FloatsOf({0})});
    Tensor out = FloatsOf({0});
    for (int round = 0; round < 9; ++round) {
      store.Push(1, {FloatsOf({1})});
      store.Pull(1, {out});
      EXPECT_EQ(ReadFloats(out), std::vector<float>{3});
    }
    if (worker == 2) return store.Leave();
    store.Push(1, {FloatsOf({1})});
    store.Pull(1, {out});
    EXPECT_EQ(ReadFloats(out), std::vector<float>{2});
  });
}

TEST(KVStoreClusterTest, WhatWasPushedHasComeWhenTheStoreGoes) {
  KVWorld world("dist_async", 1, 2);
  world.Run([&](int worker, KVStore& store) {
    store.SetOptimizer("add rate=1");
    store.Init(1, {Tensor::Full({100000}, 0)});
    if (worker == 0)
      for (int i = 0; i < 20; ++i) store.Push(1, {Tensor::Full({100000}, 1)});
  });
  world.Destroy(0);
  const Tensor out = Tensor::Empty({100000});
  world[1].Pull(1, {out}).Wait();
  EXPECT_EQ(ReadFloats(out), std::vector<float>(100000, 20));
}

}  // namespace
}  // namespace ps

#include "kvstore/engine_store.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <mutex>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "tests/support/kv_world.h"
#include "tests/support/log_capture.h"

namespace ps {
namespace {

std::vector<float> Read(const Tensor& tensor) {
  std::vector<float> values(static_cast<std::size_t>(tensor.view().size()));
  tensor.CopyTo(values.data());
  return values;
}

Tensor Of(const std::vector<float>& values, const DeviceId& device = {}) {
  Tensor tensor = Tensor::Empty({static_cast<std::int64_t>(values.size())}, DType::kF32, device);
  tensor.CopyFrom(values.data());
  return tensor;
}

std::string Folder(const std::string& name) {
  const char* const folder = std::getenv("TMPDIR");
  return std::string(folder == nullptr ? "/tmp" : folder) + "/" + name;
}

template <typename F>
void ExpectError(const F& call, const std::string& part) {
  try {
    call();
    FAIL() << "nothing was thrown; expected: " << part;
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

class OfOneProcess : public testing::TestWithParam<std::string> {
 protected:
  Watchdog watchdog_;
  std::unique_ptr<KVStore> store_ = KVStore::Create(GetParam());
};
INSTANTIATE_TEST_SUITE_P(Types, OfOneProcess, testing::Values("local", "device"));

// V018, V020, V021.
TEST_P(OfOneProcess, AProgramsOwnRuleSeesTheKeyTheSumAndTheValue) {
  std::set<std::int64_t> seen;
  store_->SetUpdater([&seen](const KVKey& key, const Tensor& received, Tensor* stored) {
    seen.insert(key.number());
    std::vector<float> sum = Read(received);
    const std::vector<float> old = Read(*stored);
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] = old[i] + 2 * sum[i];
    stored->CopyFrom(sum.data());
  });
  const Tensor one = Of({1, 1, 1});
  store_->Init({5, 7, 9}, {one, one, one});
  store_->Push({5, 7, 9}, {one, one, one});
  Tensor out = Of({0, 0, 0});
  for (const int key : {5, 7, 9}) {
    store_->Pull(key, {out});
    EXPECT_EQ(Read(out), std::vector<float>(3, 3)) << key;
    store_->Push(KVKeys::Repeated(key, 4), {one, one, one, one});
    store_->Pull(key, {out});
    EXPECT_EQ(Read(out), std::vector<float>(3, 11)) << key;
  }
  EXPECT_EQ(seen, (std::set<std::int64_t>{5, 7, 9}));
  ExpectError([&] { store_->Push(42, {one}); }, "key 42 has not been inited");  // V052
}

// V026.
TEST_P(OfOneProcess, ManyRoundsOfRandomGradientsAddUp) {
  const std::vector<Shape> shapes = {{4, 4}, {100, 100}, {2000, 2000}};
  store_->SetOptimizer("add rate=.1");
  std::mt19937 random(11);
  const auto uniform = [&random] { return static_cast<float>(random()) * 0x1p-31F - 1; };
  for (std::size_t k = 0; k < shapes.size(); ++k) {
    store_->Init(static_cast<int>(k), {Tensor::Full(shapes[k], 0)});
    const auto size = static_cast<std::size_t>(Tensor::Empty(shapes[k]).view().size());
    std::vector<double> expected(size);
    for (int round = 0; round < 10; ++round) {
      std::vector<Tensor> gradients;
      for (int device = 0; device < 4; ++device) {
        std::vector<float> values(size);
        for (float& value : values) value = uniform();
        for (std::size_t i = 0; i < size; ++i) expected[i] += .1 * values[i];
        gradients.push_back(Tensor::Empty(shapes[k], DType::kF32, DeviceId::Cpu(device)));
        gradients.back().CopyFrom(values.data());
      }
      store_->Push(KVKeys::Repeated(static_cast<int>(k), 4), gradients);
    }
    const Tensor out = Tensor::Empty(shapes[k]);
    store_->Pull(static_cast<int>(k), {out});
    const std::vector<float> values = Read(out);
    double difference = 0;
    double norm = 0;
    for (std::size_t i = 0; i < size; ++i) {
      difference += std::abs(values[i] - expected[i]);
      norm += std::abs(expected[i]);
    }
    EXPECT_LT(difference / norm, 1e-6) << "key " << k;
  }
}

// V131.
TEST_P(OfOneProcess, WhatWasPushedIsTheProgramsAgain) {
  Tensor gradient = Of({1, 2});
  store_->Init(1, {Of({5, 5})});
  store_->Push(1, {gradient});
  const std::vector<float> nine(2, 9);
  gradient.CopyFrom(nine.data());
  Tensor out = Of({0, 0});
  store_->Pull(1, {out});
  EXPECT_EQ(Read(out), (std::vector<float>{1, 2}));
  EXPECT_EQ(Read(gradient), nine);
}

TEST_P(OfOneProcess, RowsArePulledIntoSeveralTensors) {  // V141, V060
  const Tensor ids = Tensor::Full({0}, 0, DType::kI64);
  store_->SetOptimizer("add rate=1");
  store_->Init(1, {Tensor::RowSparse({4, 2}, ids, Tensor::Empty({0, 2}))});
  Tensor row_ids = Tensor::Empty({2}, DType::kI64);
  const std::int64_t rows[] = {3, 1};
  row_ids.CopyFrom(rows);
  Tensor sorted = Tensor::Empty({2}, DType::kI64);
  const std::int64_t ascending[] = {1, 3};
  sorted.CopyFrom(ascending);
  store_->Push(1, {Tensor::RowSparse({4, 2}, sorted, Tensor::Full({2, 2}, 7))});
  Tensor first;
  Tensor second;
  store_->RowSparsePull(KVKeys::Repeated(1, 2), {&first, &second}, {row_ids, ids});
  EXPECT_EQ(Read(first.values()), std::vector<float>(4, 7));
  EXPECT_EQ(second.values().view().size(), 0);
  Tensor both[2];
  store_->RowSparsePull(KVKeys::Repeated(1, 2), {&both[0], &both[1]}, {row_ids});
  EXPECT_EQ(Read(both[1].values()), std::vector<float>(4, 7)) << "one list for all";
  ExpectError(
      [&] {
        store_->RowSparsePull(KVKeys::Repeated(1, 2), {&first, &second}, {ids, ids, ids});
      },
      "the number of row_ids doesn't match the number of values");
}

TEST_P(OfOneProcess, ASparseTensorIsLeftAloneByAPullOfTheWhole) {
  store_->Init(1, {Of({1, 1})});
  const Tensor sparse = Tensor::RowSparse({2}, Tensor::Full({1}, 1, DType::kI64), Tensor::Full({1}, 5));
  LogCapture log;
  store_->Pull(1, {sparse});
  store_->Pull(1, {sparse});
  EXPECT_EQ(Read(sparse.values()), std::vector<float>{5});
  EXPECT_EQ(log.Count("This call has been ignored"), 1);
  ExpectError([&] { store_->Pull(1, {sparse}, 0, false); }, "RowSparsePull");
}

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

// V185.
TEST_P(OfOneProcess, StatesGoOnInAnotherStoreBitForBit) {
  const std::string uri = Folder("states_" + GetParam());
  store_->SetOptimizer("adam lr=.01");
  store_->Init(1, {Of({1, -2, 3})});
  const auto push = [](KVStore* store, float gradient) {
    store->Push(1, {Of({gradient, gradient / 3, -gradient})}).Wait();
  };
  for (const float gradient : {.5F, -.25F, .125F}) push(store_.get(), gradient);
  store_->SaveOptimizerStates(uri);
  Tensor value = Of({0, 0, 0});
  store_->Pull(1, {value});
  const std::unique_ptr<KVStore> other = KVStore::Create(GetParam());
  ExpectError([&] { other->LoadOptimizerStates(uri); },
              "Cannot load states for distributed training");  // V077
  other->SetOptimizer("adam lr=.01");
  other->Init(1, {value});
  other->LoadOptimizerStates(uri);
  Tensor mine = Of({0, 0, 0});
  Tensor its = Of({0, 0, 0});
  for (KVStore* store : {store_.get(), other.get()}) push(store, .75F);
  store_->Pull(1, {mine});
  other->Pull(1, {its});
  EXPECT_EQ(Read(mine), Read(its));
}

TEST_P(OfOneProcess, CheckpointsBringValuesAndStatesBack) {
  const std::string uri = Folder("checkpoint_" + GetParam());
  store_->SetOptimizer("sgd lr=.5 momentum=.5");
  store_->Init(1, {Of({1, 1})});
  store_->Push(1, {Of({1, 2})}).Wait();
  store_->Checkpoint(uri);
  store_->Push(1, {Of({1, 2})}).Wait();
  Tensor unbroken = Of({0, 0});
  store_->Pull(1, {unbroken}).Wait();
  store_->Restore(uri);
  Tensor restored = Of({0, 0});
  store_->Pull(1, {restored}).Wait();
  EXPECT_EQ(Read(restored), (std::vector<float>{.5, 0}));
  store_->Push(1, {Of({1, 2})}).Wait();
  store_->Pull(1, {restored}).Wait();
  EXPECT_EQ(Read(restored), Read(unbroken));
}

TEST_P(OfOneProcess, WhatCanNotBeIsRefusedBeforeAnythingIsSent) {
  store_->Init({1, 2}, {Of({1}), Of({2})});
  ExpectError([&] { store_->Push({1, 2}, {Of({5}), Of({5, 5})}); }, "key 2: operands shape mismatch");
  ExpectError([&] { store_->Push({1, 2}, {Of({5})}); }, "2 keys and 1 values");  // V054
  ExpectError(
      [&] {
        store_->PushPull({1}, {Of({5})}, {1, 2}, {Of({0}), Of({0})}, {});
      },
      "List of push and pull keys are different");
  ExpectError([&] { store_->PushPull({1}, {Of({5})}, {2}, {Of({0})}, {}); }, "Mismatch in push and pull key");
  Tensor one = Of({0});
  store_->Pull(1, {one});
  EXPECT_EQ(Read(one), std::vector<float>{1});
  store_->Push(std::vector<KVKey>(), {});  // nothing is fine
}

TEST(KVStoreTypesTest, UnknownOnesAreRefused) {  // V078
  ExpectError([] { KVStore::Create("no-such-store"); }, "no-such-store");
  EXPECT_EQ(KVStore::Create("Local_AllReduce_CPU")->Type(), "local_allreduce_cpu");
  KVStoreOptions options;
  options.name = "a/b";
  EXPECT_THROW(KVStore::Create("local", options), Error);
}

// --- over several workers ---

TEST(KVStoreClusterTest, StoresOfOneNodeAreNameSpacesOfTheirOwnMode) {
  KVWorld world("dist_sync", 2, 2);
  world.Run([&](int worker, KVStore& sync) {
    KVStoreOptions options;
    options.name = "other";
    options.node = &world.cluster()->worker(worker);
    const std::unique_ptr<KVStore> async = KVStore::Create("dist_async", options);
    async->SetOptimizer("add rate=1");
    sync.Init(1, {Of({1})});
    async->Init(1, {Of({10})});
    sync.Push(1, {Of({3})});
    async->Push(1, {Of({5})});
    async->Barrier();
    Tensor a = Of({0});
    Tensor b = Of({0});
    sync.Pull(1, {a});
    async->Pull(1, {b});
    EXPECT_EQ(Read(a), std::vector<float>{6});
    EXPECT_EQ(Read(b), std::vector<float>{20});
    EXPECT_EQ(async->KeyInfo(1).mode, "asp");
  });
}

TEST(KVStoreClusterTest, KeysAreFoundWhoeverMadeThem) {
  KVWorld world("dist_sync", 2, 2);
  world.Run([&](int worker, KVStore& store) {
    KVStoreOptions options;
    options.node = &world.cluster()->worker(worker);
    store.Init(1, {Of({1})});
    EXPECT_TRUE(KVStore::Create("dist_sync", options)->Has(1)) << "through another store of the name";
    EXPECT_FALSE(store.Has(2));
  });
}

// The bits of a sum do not depend on who comes first.
TEST(KVStoreClusterTest, RoundsAreTheSameInEveryRun) {
  std::mutex mutex;
  std::set<std::vector<float>> results;
  for (int run = 0; run < 5; ++run) {
    KVWorld world("dist_sync", 2, 3);
    world.Run([&](int worker, KVStore& store) {
      store.Init("w", {Tensor::Full({1000}, 0)});
      std::vector<float> values(1000);
      for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = std::pow(10.0F, static_cast<float>((i + static_cast<std::size_t>(worker) * 7) % 15)) / 3;
      store.Push("w", {Of(values)});
      const Tensor out = Tensor::Empty({1000});
      store.Pull("w", {out});
      const std::lock_guard<std::mutex> lock(mutex);
      results.insert(Read(out));
    });
  }
  EXPECT_EQ(results.size(), 1U);
}

TEST(KVStoreClusterTest, TheMeanIsOfTheWorkers) {
  KVStoreOptions options;
  options.mean = true;
  KVWorld world("dist_sync", 2, 4, options);
  world.Run([](int worker, KVStore& store) {
    store.Init(1, {Of({0})});
    store.Push(1, {Of({static_cast<float>(worker)})});
    Tensor out = Of({9});
    store.Pull(1, {out});
    EXPECT_EQ(Read(out), std::vector<float>{1.5});
  });
  ExpectError(
      [] {
        KVStoreOptions wrong;
        wrong.mean = true;
        KVWorld("dist_async", 1, 1, wrong);
      },
      "mean");
}

TEST(KVStoreClusterTest, StatesAndCheckpointsOfAJob) {
  const std::string uri = Folder("dist_states");
  std::vector<float> unbroken;
  {
    KVWorld world("dist_sync", 2, 2);
    world.Run([&](int worker, KVStore& store) {
      store.SetOptimizer("adam lr=.1");
      store.Init("w", {Tensor::Full({50}, 1)});
      for (int i = 0; i < 3; ++i) store.Push("w", {Tensor::Full({50}, i - worker)});
      store.Barrier();
      if (worker == 0) store.Checkpoint(uri);
      store.Barrier();
      store.Push("w", {Tensor::Full({50}, .5)});
      const Tensor out = Tensor::Empty({50});
      store.Pull("w", {out});
      if (worker == 0) unbroken = Read(out);
    });
  }
  KVWorld world("dist_sync", 3, 2);
  world.Run([&](int, KVStore& store) {
    store.SetOptimizer("adam lr=.1");
    store.Init("w", {Tensor::Full({50}, 7)});
    store.Restore(uri);
    store.Push("w", {Tensor::Full({50}, .5)});
    const Tensor out = Tensor::Empty({50});
    store.Pull("w", {out});
    EXPECT_EQ(Read(out), unbroken);
  });
}

// kv-case-01: the third worker has a round less.
TEST(KVStoreClusterTest, WhoHasDoneLeaves) {
  KVWorld world("dist_sync", 2, 3);
  world.Run([&](int worker, KVStore& store) {
    store.Init(1, {Of({0})});
    Tensor out = Of({0});
    for (int round = 0; round < 9; ++round) {
      store.Push(1, {Of({1})});
      store.Pull(1, {out});
      EXPECT_EQ(Read(out), std::vector<float>{3});
    }
    if (worker == 2) return store.Leave();
    store.Push(1, {Of({1})});
    store.Pull(1, {out});
    EXPECT_EQ(Read(out), std::vector<float>{2});
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
  EXPECT_EQ(Read(out), std::vector<float>(100000, 20));
}

TEST(KVStoreClusterTest, OptimizersThatSeeAWholeKeyGetIt) {
  KVWorld world("dist_sync", 2, 2);
  world.Run([](int, KVStore& store) {
    store.SetOptimizer("lamb lr=.1 wd=0");
    store.Init(1, {Tensor::Full({300000}, 1)});
    store.Push(1, {Tensor::Full({300000}, 1)});
    const Tensor out = Tensor::Empty({300000});
    store.Pull(1, {out});
    EXPECT_NEAR(Read(out)[299999], .9, 1e-4);
    EXPECT_EQ(store.KeyInfo(1).servers.size(), 1U);
  });
}

TEST(KVStoreClusterTest, SeveralRowPullsOfAKeyAreRefused) {  // V068
  KVWorld world("dist_sync", 1, 1);
  const Tensor none = Tensor::Empty({0}, DType::kI64);
  world[0].Init(1, {Tensor::RowSparse({4, 2}, none, Tensor::Empty({0, 2}))});
  Tensor a;
  Tensor b;
  ExpectError(
      [&] {
        world[0].RowSparsePull(KVKeys::Repeated(1, 2), {&a, &b}, {none, none});
      },
      "RowSparsePull with multiple values is not supported yet");
  ExpectError([&] { world[0].SetUpdater([](const KVKey&, const Tensor&, Tensor*) {}); }, "RegisterUpdater");
  ExpectError(
      [&] {
        world[0].Pull(1, {Tensor::RowSparse({4, 2}, none, Tensor::Empty({0, 2}))}, 0, false);
      },
      "dist kvstore pull doesn't support ignore_sparse=False");  // V067
}

}  // namespace
}  // namespace ps

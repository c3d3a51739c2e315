// The optimizer of EngineStore, its states, and checkpoints.

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/kv_values.h"
#include "tests/support/kv_world.h"

namespace ps {
namespace {

std::string Folder(const std::string& name) {
  const char* const folder = std::getenv("TMPDIR");
  return std::string(folder == nullptr ? "/tmp" : folder) + "/" + name;
}

class OfOneProcess : public testing::TestWithParam<std::string> {
 protected:
  Watchdog watchdog_;
  std::unique_ptr<KVStore> store_ = KVStore::Create(GetParam());
};
INSTANTIATE_TEST_SUITE_P(Types, OfOneProcess, testing::Values("local", "device"));

// V185.
TEST_P(OfOneProcess, StatesGoOnInAnotherStoreBitForBit) {
  const std::string uri = Folder("states_" + GetParam());
  store_->SetOptimizer("adam lr=.01");
  store_->Init(1, {FloatsOf({1, -2, 3})});
  const auto push = [](KVStore* store, float gradient) {
    store->Push(1, {FloatsOf({gradient, gradient / 3, -gradient})}).Wait();
  };
  for (const float gradient : {.5F, -.25F, .125F}) push(store_.get(), gradient);
  store_->SaveOptimizerStates(uri);
  Tensor value = FloatsOf({0, 0, 0});
  store_->Pull(1, {value});
  const std::unique_ptr<KVStore> other = KVStore::Create(GetParam());
  ExpectError([&] { other->LoadOptimizerStates(uri); },
              "Cannot load states for distributed training");  // V077
  other->SetOptimizer("adam lr=.01");
  other->Init(1, {value});
  other->LoadOptimizerStates(uri);
  Tensor mine = FloatsOf({0, 0, 0});
  Tensor its = FloatsOf({0, 0, 0});
  for (KVStore* store : {store_.get(), other.get()}) push(store, .75F);
  store_->Pull(1, {mine});
  other->Pull(1, {its});
  EXPECT_EQ(ReadFloats(mine), ReadFloats(its));
}

TEST_P(OfOneProcess, CheckpointsBringValuesAndStatesBack) {
  const std::string uri = Folder("checkpoint_" + GetParam());
  store_->SetOptimizer("sgd lr=.5 momentum=.5");
  store_->Init(1, {FloatsOf({1, 1})});
  store_->Push(1, {FloatsOf({1, 2})}).Wait();
  store_->Checkpoint(uri);
  store_->Push(1, {FloatsOf({1, 2})}).Wait();
  Tensor unbroken = FloatsOf({0, 0});
  store_->Pull(1, {unbroken}).Wait();
  store_->Restore(uri);
  Tensor restored = FloatsOf({0, 0});
  store_->Pull(1, {restored}).Wait();
  EXPECT_EQ(ReadFloats(restored), (std::vector<float>{.5, 0}));
  store_->Push(1, {FloatsOf({1, 2})}).Wait();
  store_->Pull(1, {restored}).Wait();
  EXPECT_EQ(ReadFloats(restored), ReadFloats(unbroken));
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
      if (worker == 0) unbroken = ReadFloats(out);
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
    EXPECT_EQ(ReadFloats(out), unbroken);
  });
}

TEST(KVStoreClusterTest, OptimizersThatSeeAWholeKeyGetIt) {
  KVWorld world("dist_sync", 2, 2);
  world.Run([](int, KVStore& store) {
    store.SetOptimizer("lamb lr=.1 wd=0");
    store.Init(1, {Tensor::Full({300000}, 1)});
    store.Push(1, {Tensor::Full({300000}, 1)});
    const Tensor out = Tensor::Empty({300000});
    store.Pull(1, {out});
    EXPECT_NEAR(ReadFloats(out)[299999], .9, 1e-4);
    EXPECT_EQ(store.KeyInfo(1).servers.size(), 1U);
  });
}

TEST(KVStoreHyperTest, AValueIsOneWord) {
  const std::unique_ptr<KVStore> store = KVStore::Create("local");
  store->SetOptimizer("sgd lr=1");
  for (const KVParams& wrong : {KVParams{{"lr", "1 wd=2"}}, KVParams{{"lr", ""}}, KVParams{{"lr=1 wd", "2"}}})
    EXPECT_THROW(store->SetHyper(wrong), Error) << wrong.begin()->first;
  store->SetHyper({{"lr", "0.5"}});
}

}  // namespace
}  // namespace ps

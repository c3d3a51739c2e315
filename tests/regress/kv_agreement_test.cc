// What one worker of a KVStore can not do, or does otherwise, is told to all, and leaves nothing half done.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "tests/support/kv_world.h"
#include "tests/support/tensors.h"

namespace ps {
namespace {

Tensor Ones(std::int64_t size) { return Tensor::Full({size}, 1); }

float First(const Tensor& tensor) { return ValuesOf<float>(tensor).front(); }

// What a call throws; empty: nothing.
template <typename F>
std::string Thrown(const F& call) {
  return ThrownBy(call).message();
}

KVStoreOptions SlicesOf(std::int64_t bytes) {
  KVStoreOptions options;
  options.slice_bytes = bytes;
  return options;
}

class KVAgreementTest : public testing::TestWithParam<std::int64_t> {};
INSTANTIATE_TEST_SUITE_P(Slices, KVAgreementTest, testing::Values(0, 128));

TEST_P(KVAgreementTest, AKeyOfTwoShapesIsAnErrorForAll) {
  KVWorld world("dist_sync", 2, 3, SlicesOf(GetParam()));
  for (const int odd : {0, 1, 2}) {
    const std::string key = "w" + std::to_string(odd);
    Mutex mutex;
    int num_named = 0;
    world.Run([&](int worker, KVStore& store) {
      const std::string why = Thrown([&] { store.Init(key, {Ones(worker == odd ? 128 : 64)}); });
      EXPECT_NE(why, "") << "worker " << worker;
      {
        MutexLock lock(mutex);
        num_named += why.find("another specification") != std::string::npos ? 1 : 0;
      }
      EXPECT_NE(Thrown([&] { store.Push(key, {Ones(64)}); }), "") << "nobody has the key";
      store.Init("good" + key, {Ones(64)});
      store.Push("good" + key, {Ones(64)});
      const Tensor out = Ones(64);
      store.Pull("good" + key, {out});
      EXPECT_EQ(First(out), 3);
    });
    EXPECT_GT(num_named, 0);
  }
}

TEST_P(KVAgreementTest, WhatOneWorkerRefusesIsAnErrorForAllAndMayBeTriedAgain) {
  KVWorld world("dist_sync", 2, 2, SlicesOf(GetParam()));
  world.Run([&](int worker, KVStore& store) {
    const std::string why = Thrown([&] { store.Init(1, {worker == 1 ? Tensor() : Ones(64)}); });
    EXPECT_NE(why.find(worker == 1 ? "there is no value" : "worker 1 could not make the keys"),
              std::string::npos)
        << why;
    store.Init(1, {Ones(64)});
    store.Push(1, {Ones(64)});
    const Tensor out = Ones(64);
    store.Pull(1, {out});
    EXPECT_EQ(First(out), 2);
  });
}

TEST(KVSlicesTest, NoTextKeyIsTheSliceOfAnotherOne) {
  KVWorld world("dist_sync", 2, 1, SlicesOf(128));
  KVStore& store = world[0];
  store.Init("w", {Ones(96)});
  for (const char* key : {"w#0", "w#1", "w#2", "#1/w"}) {
    EXPECT_FALSE(store.Has(key)) << key;
    store.Init(key, {Tensor::Full({32}, 5)});
  }
  Tensor out = Tensor::Full({96}, 0);
  store.Pull("w", {out});
  EXPECT_EQ(First(out), 1);
  EXPECT_TRUE(store.Has("w"));
}

TEST(KVSlicesTest, ARuleThatSeesAWholeKeyRefusesSlices) {
  KVWorld world("dist_sync", 1, 1, SlicesOf(128));
  world[0].SetOptimizer("sgd lr=1");
  world[0].Init("w", {Ones(96)});
  const std::string why = Thrown([&] { world[0].SetOptimizer("lamb lr=.1"); });
  EXPECT_NE(why.find("key w: lamb looks at a key as a whole"), std::string::npos) << why;
  EXPECT_NE(why.find("PS_SLICE_BYTES"), std::string::npos) << why;
  world[0].Push("w", {Ones(96)});
  const Tensor out = Ones(96);
  world[0].Pull("w", {out});
  EXPECT_EQ(First(out), 0) << "the rule is the one before";
}

TEST(KVOptimizerTest, OneThatSomeKeyCanNotHaveChangesNone) {
  const std::unique_ptr<KVStore> store = KVStore::Create("local");
  store->Init({"a", "b"}, {Ones(4), Tensor::Full({4}, 1, DType::kI32)});
  const std::string why = Thrown([&] { store->SetOptimizer("adam lr=1"); });
  EXPECT_NE(why.find("key b"), std::string::npos) << why;
  store->Push("a", {Tensor::Full({4}, 5)});
  const Tensor out = Ones(4);
  store->Pull("a", {out});
  EXPECT_EQ(First(out), 5) << "the sum is the value, as before";
}

TEST(KVSlicesTest, ACheckpointOfOtherSlicesIsRefused) {
  const char* const folder = std::getenv("TMPDIR");
  const std::string uri = std::string(folder == nullptr ? "/tmp" : folder) + "/of_slices";
  {
    KVWorld world("dist_sync", 2, 1, SlicesOf(128));
    world[0].Init("w", {Tensor::Full({96}, 7)});
    world[0].Checkpoint(uri);
  }
  for (const std::int64_t bytes : {0, 256}) {
    KVWorld world("dist_sync", 2, 1, SlicesOf(bytes));
    world[0].Init("w", {Ones(96)});
    EXPECT_NE(Thrown([&] { world[0].Restore(uri); }), "") << bytes;
  }
  KVWorld world("dist_sync", 3, 1, SlicesOf(128));
  world[0].Init("w", {Ones(96)});
  world[0].Restore(uri);
  const Tensor out = Ones(96);
  world[0].Pull("w", {out});
  EXPECT_EQ(First(out), 7);
}

// A push that was sent in part would put this worker a round ahead with some of its tables, for ever.
TEST(KVRefusedPushTest, NothingOfItIsSent) {
  KVWorld world("dist_sync", 2, 2, SlicesOf(128));
  world.Run([](int worker, KVStore& store) {
    store.SetGradientCompression({{"type", "2bit"}, {"threshold", "1"}});
    store.Init({"a", "w"}, {Tensor::Full({32}, 0), Tensor::Full({96}, 0)});
    if (worker == 0) {
      std::vector<float> values(96, 1);
      values[70] = std::nanf("");
      const std::string why = Thrown([&] { store.Push({"a", "w"}, {Ones(32), TensorOf(values)}); });
      EXPECT_NE(why.find("key w"), std::string::npos) << why;
      EXPECT_NE(why.find("70"), std::string::npos) << why;
    }
    for (int round = 0; round < 2; ++round) {
      store.Push({"a", "w"}, {Ones(32), Ones(96)});
      for (const char* key : {"a", "w"}) {
        const Tensor out = Ones(key[0] == 'a' ? 32 : 96);
        store.Pull(key, {out});
        EXPECT_EQ(First(out), 2) << key;
      }
    }
  });
}

TEST(KVRefusedPushTest, WhoseValuesAreOfTwoKindsIsNamedByItsKey) {
  const std::unique_ptr<KVStore> store = KVStore::Create("local");
  const Tensor ids = Tensor::Full({1}, 2, DType::kI64);
  const Tensor rows = Tensor::RowSparse({4, 2}, ids, Tensor::Full({1, 2}, 1));
  store->Init(17, {rows});
  const std::string why = Thrown([&] {
    store->Push(KVKeys::Repeated(17, 2), {rows, Tensor::Full({4, 2}, 1)});
  });
  EXPECT_NE(why.find("key 17: some of its values are row-sparse"), std::string::npos) << why;
}

TEST(KVRefusedPushTest, NorOfOneWithAValueWhoseWriteHasFailed) {
  KVWorld world("dist_sync", 1, 2);
  world.Run([](int worker, KVStore& store) {
    store.Init({1, 2}, {Ones(4), Ones(4)});
    Tensor lost = Ones(4);
    lost.SetWrite(std::make_shared<EndedWrite>(Status::Unavailable("what wrote it is lost")));
    if (worker == 0) {
      EXPECT_NE(Thrown([&] { store.Push({1, 2}, {Ones(4), lost}); }), "");
    }
    const Tensor out = Ones(4);
    store.Push({1, 2}, {Ones(4), Ones(4)});
    store.Pull(1, {out});
    EXPECT_EQ(First(out), 2);
  });
}

TEST(KVBarrierTest, WhoHasLostAPushMeetsTheOthersAllTheSame) {
  KVWorld world("dist_async", 1, 2);
  world.Run([](int worker, KVStore& store) {
    store.Init(1, {Ones(4)});
    if (worker == 0) store.Push(1, {Ones(4)});  // there is no optimizer
    const std::string why = Thrown([&] { store.Barrier(); });
    EXPECT_EQ(why.empty(), worker == 1) << why;
  });
}

}  // namespace
}  // namespace ps

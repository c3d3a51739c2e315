// KVStore used as it is not meant to be: the caller is told at once, nobody waits for ever, and the servers
// go on.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/kv_values.h"
#include "tests/support/kv_world.h"

namespace ps {
namespace {

using Floats = std::vector<float>;
using std::chrono::seconds;

// All workers can still do a round.
void ExpectGoesOn(KVStore* store) {
  store->Init("after", {FloatsOf({0})});
  const Tensor out = FloatsOf({9});
  store->PushPull("after", {FloatsOf({1})}, {out}).Wait();
  EXPECT_EQ(ReadFloats(out), Floats{static_cast<float>(store->num_workers())});
}

class KVMisuse : public testing::TestWithParam<std::string> {
 protected:
  KVWorld world_{GetParam(), 2, 1};
  KVStore& store_ = world_[0];
};
INSTANTIATE_TEST_SUITE_P(Types, KVMisuse, testing::Values("local", "device", "dist_sync"));

TEST_P(KVMisuse, TensorsThatAreNoneAreRefusedByKey) {
  const Tensor none;
  store_.Init("w", {FloatsOf({1, 2})});
  store_.Init("e", {Tensor::RowSparse({4, 1}, IdsOf({0}), FloatsOf({1, 1}, {1}))});
  ExpectError([&] { store_.Init("v", {none}); }, "key v");
  ExpectError([&] { store_.Push("w", {none}); }, "key w: there is no value");
  ExpectError([&] { store_.Pull("w", {none}); }, "key w: there is no tensor to pull into");
  ExpectError([&] { store_.PushPull("w", {none}, {FloatsOf({0, 0})}); }, "key w: there is no value");
  ExpectError([&] { store_.PushPull("w", {FloatsOf({0, 0})}, {none}); }, "key w: there is no tensor");
  ExpectError([&] { store_.Set("w", {none}); }, "key w: there is no value");
  ExpectError([&] { store_.Broadcast("u", {none}, {FloatsOf({0})}); }, "key u");
  ExpectError([&] { store_.RowSparsePull("e", {nullptr}, {IdsOf({0})}); }, "key e: there is no tensor");
  Tensor rows;
  ExpectError([&] { store_.RowSparsePull("e", {&rows}, {none}); }, "");
  ExpectGoesOn(&store_);
}

TEST_P(KVMisuse, OtherTypesOfElementsAreRefusedWithBoth) {
  store_.Init("w", {FloatsOf({1, 2})});
  const Tensor doubles = Tensor::Full({2}, 1, DType::kF64);
  ExpectError([&] { store_.Push("w", {doubles}); }, "a value of f64 for a key of f32");
  ExpectError([&] { store_.Set("w", {doubles}); }, "a value of f64 for a key of f32");
  ExpectError([&] { store_.Push(KVKeys::Repeated("w", 2), {FloatsOf({1, 1}), doubles}); }, "f64");
  ExpectError([&] { store_.Push("w", {Tensor::RowSparse({2}, IdsOf({0}), FloatsOf({1}))}); },
              "a row-sparse value for a dense key");
  static_cast<void>(store_.Pull("w", {doubles}));  // converted
  double values[2];
  doubles.CopyTo(values);
  EXPECT_EQ(values[1], 2);
  ExpectGoesOn(&store_);
}

TEST_P(KVMisuse, ForeignMemoryIsFilledWhenTheTicketIsDone) {
  float pushed[] = {1, 2, 3};
  float pulled[] = {0, 0, 0};
  const Tensor from = Tensor::Foreign({pushed, {3}, DType::kF32, {}, nullptr});
  const Tensor to = Tensor::Foreign({pulled, {3}, DType::kF32, {}, nullptr});
  store_.Init("w", {from});
  store_.Push("w", {from});
  pushed[0] = 7;  // it was copied
  store_.Pull("w", {to}).Wait();
  EXPECT_EQ(Floats(pulled, pulled + 3), (Floats{1, 2, 3}));
  store_.PushPull("w", {from}, {to}).Wait();
  EXPECT_EQ(pulled[0], 7);
  store_.PushPull("w", {from}, {from}).Wait();  // in place
  EXPECT_EQ(pushed[0], 7);
}

TEST_P(KVMisuse, EmptyListsAreNothing) {
  const KVKeys none{std::vector<KVKey>()};
  store_.Init(none, {});
  store_.Push(none, {}).Wait();
  store_.Pull(none, {}).Wait();
  store_.PushPull(none, {}, {}).Wait();
  store_.Broadcast(none, {}, {});
  store_.RowSparsePull(none, {}, {}).Wait();
  store_.Set(none, {}).Wait();
  store_.Erase(none);
  store_.SetHyper({});
  ExpectError([&] { store_.Push(none, {FloatsOf({1})}); }, "0 keys and 1 values");
  ExpectError([&] { store_.Init("w", {Tensor::Empty({0})}); }, "key w");
  ExpectGoesOn(&store_);
}

TEST(KVMisuseOfKeys, AllNumbersAreKeysAndTextsHaveALimit) {
  KVWorld world("dist_sync", 3, 1);
  const std::vector<KVKey> keys = {std::numeric_limits<std::int64_t>::min(), -1, 0,
                                   std::numeric_limits<std::int64_t>::max()};
  world[0].Init(keys, {FloatsOf({1}), FloatsOf({2}), FloatsOf({3}), FloatsOf({4})});
  const std::vector<Tensor> outs = {FloatsOf({0}), FloatsOf({0}), FloatsOf({0}), FloatsOf({0})};
  static_cast<void>(world[0].Pull(keys, outs));
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(ReadFloats(outs[i]), Floats{static_cast<float>(i + 1)});
  KVStoreOptions options;
  options.node = &world.cluster()->worker(0);
  options.name = "texts";
  const std::unique_ptr<KVStore> texts = KVStore::Create("dist_sync", options);
  texts->Init(std::string(200, 'k'), {FloatsOf({1})});
  ExpectError([&] { texts->Init(std::string(201, 'k'), {FloatsOf({1})}); }, "200");
  ExpectError([&] { texts->Init("", {FloatsOf({1})}); }, "key");
  ExpectError([&] { texts->Init("a\nb", {FloatsOf({1})}); }, "control characters");
  texts->Init("a/b#0 \xff", {FloatsOf({5})});
  static_cast<void>(texts->Pull("a/b#0 \xff", {outs[0]}));
  EXPECT_EQ(ReadFloats(outs[0]), Floats{5});
  ExpectGoesOn(texts.get());
}

// A key that one worker can not make is nobody's.
TEST(KVMisuseOfModes, TwoModesUnderOneNameAreRefusedByWhoComesSecond) {
  KVWorld world("dist_sync", 2, 2);
  std::atomic<int> num_second{0};
  std::atomic<int> num_first{0};
  world.Run([&](int worker, KVStore& sync) {
    KVStoreOptions options;
    options.node = &world.cluster()->worker(worker);
    const std::unique_ptr<KVStore> async = KVStore::Create("dist_async", options);
    try {
      (worker == 0 ? sync : *async).Init("w", {FloatsOf({1})});
      FAIL() << "worker " << worker << " has the key";
    } catch (const Error& error) {
      const std::string text = error.what();
      const bool is_second = error.code() == StatusCode::kAlreadyExists;
      ++(is_second ? num_second : num_first);
      EXPECT_NE(text.find(is_second ? "kv/kv/t/w" : "could not make the keys"), std::string::npos) << text;
    }
    ExpectGoesOn(&sync);
  });
  // Both are, where each comes first to one of the servers.
  EXPECT_GE(num_second, 1);
  EXPECT_EQ(num_first + num_second, 2);
}

TEST(KVMisuseOfShapes, DifferentShapesAreAnErrorOfBothWorkersWhichGoOn) {
  KVWorld world("dist_sync", 2, 2);
  std::atomic<int> num_second{0};
  std::atomic<int> num_first{0};
  world.Run([&](int worker, KVStore& store) {
    try {
      store.Init("w", {Tensor::Full({3 + worker}, 1)});
      FAIL() << "worker " << worker << " has the key";
    } catch (const Error& error) {
      ++(error.code() == StatusCode::kAlreadyExists ? num_second : num_first);
      EXPECT_TRUE(error.code() == StatusCode::kAlreadyExists ||
                  error.code() == StatusCode::kFailedPrecondition)
          << error.what();
    }
    ExpectGoesOn(&store);
  });
  // Both are, where each comes first to one of the servers.
  EXPECT_GE(num_second, 1);
  EXPECT_EQ(num_first + num_second, 2);
}

TEST(KVMisuseOfErase, WhatStillComesForAnErasedKeyIsRefused) {
  KVWorld world("dist_sync", 2, 2);
  world.Run([](int, KVStore& store) {
    for (int turn = 0; turn < 10; ++turn) {
      store.Init("w", {Tensor::Full({1000}, 0)});
      const Tensor out = Tensor::Empty({1000});
      store.Push("w", {Tensor::Full({1000}, 1)});
      const Ticket pulled = store.Pull("w", {out});
      store.Push("w", {Tensor::Full({1000}, 1)});
      store.Erase("w");
      EXPECT_TRUE(pulled.WaitFor(seconds(10)).code() != StatusCode::kDeadlineExceeded);
      ExpectError([&] { store.Push("w", {Tensor::Full({1000}, 1)}); }, "Did you init?");
    }
    ExpectGoesOn(&store);
  });
}

TEST(KVMisuseOfErase, WhoErasesAloneIsToldForWhomItWaited) {
  LocalClusterOptions cluster;
  cluster.config.barrier_timeout_ms = 200;
  KVWorld world("dist_sync", 1, 2, {}, cluster);
  world.Run([](int, KVStore& store) { store.Init("w", {FloatsOf({1})}); });
  ExpectError([&] { world[0].Erase("w"); }, "worker 1");
  EXPECT_TRUE(world[0].Has("w")) << "nothing has changed";
}

TEST(KVMisuseOfOptimizers, OneThatComesAmidPushesHoldsFromARoundOn) {
  KVWorld world("dist_sync", 2, 2);
  world.Run([](int worker, KVStore& store) {
    store.Init("w", {Tensor::Full({1000}, 0)});
    const Tensor out = Tensor::Empty({1000});
    for (int i = 0; i < 30; ++i) {
      store.Push("w", {Tensor::Full({1000}, 1)});
      if (worker == i % 2) store.SetOptimizer(i % 4 < 2 ? "sgd lr=1" : "add rate=1");
      store.Pull("w", {out}).Wait();
      const Floats values = ReadFloats(out);
      ASSERT_EQ(values, Floats(1000, values[0])) << "one rule for all of a round";
    }
    ExpectError([&] { store.SetOptimizer("sgd lr=fast"); }, "lr");
    ExpectError([&] { store.SetOptimizer("sgd speed=1"); }, "speed");
    ExpectError([&] { store.SetHyper({{"speed", "1"}}); }, "speed");
    ExpectError([&] { store.SetHyper({{"lr", "fast"}}); }, "lr");
    ExpectError([&] { store.SetOptimizer(""); }, "");
    ExpectError([&] { store.Barrier(); }, "");  // tells once of what has failed on the servers
    store.Barrier();
    store.PushPull("w", {Tensor::Full({1000}, 1)}, {out}).Wait();
  });
}

TEST(KVMisuseOfLeave, WhoHasLeftIsToldSoWhenItPushes) {
  KVWorld world("dist_sync", 2, 2);
  world.Run([](int worker, KVStore& store) {
    store.Init("w", {FloatsOf({0})});
    const Tensor out = FloatsOf({0});
    if (worker == 1) {
      store.Leave();
      store.Leave();  // once is enough
      ExpectError([&] { store.Push("w", {FloatsOf({1})}).Wait(); }, "left");
      ExpectError([&] { store.Barrier(); }, "left");  // meets, and tells once of what has failed
    } else {
      store.Barrier();
      store.PushPull("w", {FloatsOf({1})}, {out}).Wait();
      EXPECT_EQ(ReadFloats(out), Floats{1});
    }
    store.Barrier();
  });
}

// It waits for push-pulls, whose round may yet be made, at most for PS_BARRIER_TIMEOUT.
TEST(KVMisuseOfTickets, AStoreThatGoesFailsWhatStillWaits) {
  LocalClusterOptions cluster;
  cluster.config.barrier_timeout_ms = 500;
  KVWorld world("dist_sync", 2, 2, {}, cluster);
  world.Run([](int, KVStore& store) { store.Init("w", {FloatsOf({0})}); });
  const Tensor out = FloatsOf({5});
  static_cast<void>(world[0].Push("w", {FloatsOf({1})}));
  const Ticket ticket = world[0].Pull("w", {out});  // the other one has not pushed
  const auto both = world[0].PushPull("w", {FloatsOf({1})}, {FloatsOf({0})});
  world.Destroy(0);
  for (const Ticket& waiting : {ticket, both}) {
    const Status ended = waiting.WaitFor(seconds(10));
    EXPECT_TRUE(ended.code() == StatusCode::kCancelled || ended.code() == StatusCode::kDeadlineExceeded)
        << ended;
  }
  EXPECT_THROW(static_cast<void>(out.Data()), Error);
}

TEST(KVMisuseOfCheckpoints, ThatAreNotThereAreAnErrorOfAllWorkers) {
  KVWorld world("dist_sync", 2, 2);
  world.Run([](int worker, KVStore& store) {
    store.Init("w", {FloatsOf({1})});
    ExpectError([&] { store.Restore("/nonexistent/checkpoints"); }, "/nonexistent/checkpoints");
    if (worker == 0) ExpectError([&] { store.Checkpoint("/proc/none"); }, "/proc/none");
    store.Barrier();
    ExpectGoesOn(&store);
  });
}

// Who had left when it was written is one of the workers again.
TEST(KVMisuseOfCheckpoints, AJobGoesOnWithAllWorkersWhoeverHadLeftTheLast) {
  const char* const folder = std::getenv("TMPDIR");
  const std::string uri = std::string(folder == nullptr ? "/tmp" : folder) + "/left";
  {
    KVWorld world("dist_sync", 2, 2);
    world.Run([&](int worker, KVStore& store) {
      store.Init("w", {FloatsOf({0})});
      if (worker == 1) store.Leave();
      store.Barrier();
      if (worker == 0) {
        store.Push("w", {FloatsOf({1})});
        store.Checkpoint(uri);
      }
      store.Barrier();
    });
  }
  KVWorld world("dist_sync", 2, 2);
  world.Run([&](int, KVStore& store) {
    store.Init("w", {FloatsOf({9})});
    store.Restore(uri);
    const Tensor out = FloatsOf({0});
    static_cast<void>(store.Pull("w", {out}));
    EXPECT_EQ(ReadFloats(out), Floats{1});
    store.PushPull("w", {FloatsOf({1})}, {out}).Wait();
    EXPECT_EQ(ReadFloats(out), Floats{2});
  });
}

}  // namespace
}  // namespace ps

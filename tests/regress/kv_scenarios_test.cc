// Scenarios of KVStore in one process: mixed calls in a round, optimizers that are told again, small keys,
// late workers, large sparse keys, the large vectors.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/counters.h"
#include "tests/support/figure.h"
#include "tests/support/job.h"
#include "tests/support/kv_values.h"
#include "tests/support/kv_world.h"
#include "van/van_core.h"

namespace ps {
namespace {

using Floats = std::vector<float>;

// kv-case-05, V130: whatever each of the workers does in a round, all is answered, and all see the sum.
TEST(KVScenarios, KvCase05PushesAndPushPullsOfOneRoundAreAllAnswered) {
  KVWorld world("dist_sync", 2, 3);
  world.Run([](int worker, KVStore& store) {
    store.Init(1, {Tensor::Full({100}, 0)});
    const Tensor one = Tensor::Full({100}, 1);
    const Tensor out = Tensor::Empty({100});
    for (int round = 0; round < 50; ++round) {
      Ticket ticket;
      if ((round >> worker) % 2 == 0) {
        ticket = store.Push(1, {one});
        static_cast<void>(store.Pull(1, {out}));
      } else {
        ticket = store.PushPull(1, {one}, {out});
      }
      ASSERT_EQ(ReadFloats(out), Floats(100, 3)) << "round " << round;
      ticket.Wait();
    }
  });
}

// What three workers have after 20 rounds with adam, the second and third of whom tell the servers something
// in between.
Floats WithAdam(const std::function<void(int worker, KVStore& store)>& in_between) {
  Floats result;
  KVWorld world("dist_sync", 2, 3);
  world.Run([&](int worker, KVStore& store) {
    store.Init("w", {Tensor::Full({1000}, 1)});
    if (worker == 0) store.SetOptimizer("adam lr=1e-3");
    store.Barrier();
    const Tensor out = Tensor::Empty({1000});
    for (int round = 0; round < 20; ++round) {
      if (round == 10) in_between(worker, store);
      static_cast<void>(store.PushPull("w", {Tensor::Full({1000}, .25 * (worker + round % 3))}, {out}));
      static_cast<void>(out.Data());
    }
    if (worker == 0) result = ReadFloats(out);
  });
  return result;
}

TEST(KVScenarios, KvCase11AnEqualOptimizerKeepsItsStateAndAnUnknownOneChangesNothing) {
  const Floats undisturbed = WithAdam([](int, KVStore&) {});
  const Floats told = WithAdam([](int worker, KVStore& store) {
    if (worker == 1) store.SetOptimizer("adam lr=1e-3");
    if (worker == 2) ExpectError([&] { store.SetOptimizer("adamant lr=1e-3"); }, "adamant");
  });
  EXPECT_EQ(told, undisturbed);
  EXPECT_LT(undisturbed[0], 1);
}

TEST(KVScenarios, KvCase17ManySmallKeysTravelInFewMessages) {
  constexpr int kKeys = 10000;
  KVWorld world("dist_sync", 2, 2);
  std::atomic<int64_t> longest_ms{0};
  std::atomic<uint64_t> most{0};
  world.Run([&](int worker, KVStore& store) {
    std::vector<KVKey> keys;
    std::vector<Tensor> values;
    std::vector<Tensor> outs;
    for (int i = 0; i < kKeys; ++i) {
      keys.emplace_back(i);
      values.push_back(Tensor::Full({64}, i + worker));
      outs.push_back(Tensor::Empty({64}));
    }
    store.Init(keys, values);
    const Counters& counters = world.cluster()->worker(worker).van()->core().counters();
    const uint64_t sent = counters.Get(Counter::kSentMessages);
    const uint64_t received = counters.Get(Counter::kReceivedMessages);
    const auto start = std::chrono::steady_clock::now();
    store.PushPull(keys, values, outs).Wait();
    const auto ms = std::chrono::ceil<std::chrono::milliseconds>(std::chrono::steady_clock::now() - start);
    for (const uint64_t count :
         {counters.Get(Counter::kSentMessages) - sent, counters.Get(Counter::kReceivedMessages) - received}) {
      EXPECT_LT(count, 100U);
      most = std::max(most.load(), count);
    }
    longest_ms = std::max<int64_t>(longest_ms, ms.count());
    for (int i = 0; i < kKeys; ++i)
      ASSERT_EQ(ReadFloats(outs[static_cast<std::size_t>(i)]), Floats(64, static_cast<float>(2 * i + 1)));
  });
  PS_FIGURE("kv-case-17k", kKeys << " keys of 64 floats, one push-pull round, 2x2: " << longest_ms << " ms, "
                                 << most << " messages per worker and direction at most");
}

// V132.
TEST(KVScenarios, V132NobodyPassesABarrierBeforeAllHaveCome) {
  for (int workers = 1; workers <= 4; ++workers) {
    KVWorld world("dist_sync", 1, workers);
    std::atomic<int> entered{0};
    world.Run([&](int, KVStore& store) {
      for (int turn = 1; turn <= 20; ++turn) {
        ++entered;
        store.Barrier();
        EXPECT_GE(entered, turn * workers);
      }
    });
  }
}

// V137: the first worker pushes nothing until the others have done 100 rounds.
TEST(KVScenarios, V137AsynchronousWorkersDoNotWaitForALateOne) {
  KVWorld world("dist_async", 2, 3);
  std::atomic<int> num_done{0};
  std::promise<void> others_done;
  world.Run([&](int worker, KVStore& store) {
    store.SetOptimizer("add rate=1");
    store.Init(1, {Tensor::Full({100}, 0)});
    if (worker == 0) others_done.get_future().wait();
    const Tensor out = Tensor::Empty({100});
    for (int i = 0; i < 100; ++i) {
      store.Push(1, {Tensor::Full({100}, 1)});
      store.Pull(1, {out}).Wait();
    }
    if (worker > 0 && ++num_done == 2) others_done.set_value();
    store.Barrier();
    store.Pull(1, {out}).Wait();
    EXPECT_EQ(ReadFloats(out), Floats(100, 300));
  });
}

class SparseKeys : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Types, SparseKeys, testing::Values("local", "device", "dist_sync", "dist_async"));

// V148.
TEST_P(SparseKeys, V148AllRowsOfALargeOneComeBack) {
  constexpr std::int64_t kRows = 793470;
  KVWorld world(GetParam(), 2, 1);
  std::vector<std::int64_t> all(kRows);
  for (std::int64_t i = 0; i < kRows; ++i) all[static_cast<std::size_t>(i)] = i;
  const Tensor ids = IdsOf(all);
  const Tensor ones = Tensor::RowSparse({kRows, 1}, ids, Tensor::Full({kRows, 1}, 1));
  world[0].SetOptimizer("add rate=1");
  world[0].Init("e", {ones});
  world[0].Push("e", {ones});
  Tensor out;
  world[0].RowSparsePull("e", {&out}, {ids}).Wait();
  EXPECT_EQ(out.ids().view().size(), kRows);
  EXPECT_EQ(ReadFloats(out.values()), Floats(kRows, 2));
}

// V141: each of four tensors has the rows that its own ids name, whatever their order.
TEST(KVScenarios, V141FourTensorsGetTheRowsTheyAskFor) {
  const std::vector<std::vector<std::int64_t>> asked = {{3, 1, 1}, {9}, {}, {0, 5, 2, 8}};
  const std::vector<std::vector<std::int64_t>> sorted = {{1, 3}, {9}, {}, {0, 2, 5, 8}};
  const std::vector<Floats> expected = {{11, 11, 13, 13}, {19, 19}, {}, {10, 10, 12, 12, 15, 15, 18, 18}};
  for (const char* type : {"local", "device"}) {
    KVWorld world(type, 1, 1);
    const Tensor values =
        FloatsOf({10, 2}, {10, 10, 11, 11, 12, 12, 13, 13, 14, 14, 15, 15, 16, 16, 17, 17, 18, 18, 19, 19});
    world[0].Init("e", {Tensor::RowSparse({10, 2}, IdsOf({0, 1, 2, 3, 4, 5, 6, 7, 8, 9}), values)});
    Tensor outs[4];
    world[0].RowSparsePull(KVKeys::Repeated("e", 4), {&outs[0], &outs[1], &outs[2], &outs[3]},
                           {IdsOf(asked[0]), IdsOf(asked[1]), IdsOf(asked[2]), IdsOf(asked[3])});
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_EQ(ReadFloats(outs[i].values()), expected[i]) << type << ", tensor " << i;
      EXPECT_EQ(ReadIds(outs[i].ids()), sorted[i]) << type << ", tensor " << i;
    }
  }
}

// V117, V118: a hundred keys, the second half in halves; each is pulled by all workers.
void HundredKeys(const Shape& shape) {
  KVWorld world("dist_sync", 2, 4);
  world.Run([&shape](int, KVStore& store) {
    const auto dtype = [](int i) { return i < 50 ? DType::kF32 : DType::kF16; };
    for (int i = 0; i < 100; ++i) store.Init(std::to_string(200 + i), {Tensor::Full(shape, i, dtype(i))});
    for (int i = 0; i < 100; ++i) {
      const Tensor out = Tensor::Empty(shape, dtype(i));
      store.Pull(std::to_string(200 + i), {out}).Wait();
      const Tensor expected = Tensor::Full(shape, i, dtype(i));
      EXPECT_EQ(std::memcmp(out.Data(), expected.Data(), out.view().bytes()), 0) << "key " << i;
    }
  });
}

TEST(KVScenarios, V117AHundredKeysOfTwoTypes) { HundredKeys({2, 3}); }

TEST(KVScenarios, V118AHundredLargeKeysOfTwoTypes) {
  if (!LongForms()) GTEST_SKIP() << "the long form (PS_TEST_LONG=1); four of the keys are among the vectors";
  HundredKeys({1200, 1200});
  PS_FIGURE("V118", "exact");
}

}  // namespace
}  // namespace ps

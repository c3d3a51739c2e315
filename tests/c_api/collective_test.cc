#include "ps/c/collective.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <future>
#include <string>
#include <vector>

#include "tests/support/c_calls.h"
#include "tests/support/c_kv_world.h"
#include "tests/support/each_worker.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

using Floats = std::vector<float>;

class CCollectiveTest : public testing::TestWithParam<int> {
 protected:
  int size() const { return GetParam(); }
  // `body` on a thread per rank.
  template <typename Body>
  void Run(const Body& body) {
    RunOnEachWorker(size(), [&](int rank) { body(rank, cluster_.worker(rank)); });
  }

  HandleBalance balance_;
  Watchdog watchdog_;
  const CCluster cluster_{1, GetParam()};
};
INSTANTIATE_TEST_SUITE_P(Ranks, CCollectiveTest, testing::Values(1, 2, 3));

TEST_P(CCollectiveTest, RanksAreKnown) {
  Run([this](int rank, PSNode node) {
    int number = -1;
    Ok(PSCollectiveGetRank(node, &number));
    EXPECT_EQ(number, rank);
    Ok(PSCollectiveGetSize(node, &number));
    EXPECT_EQ(number, size());
    Ok(PSCollectiveBarrier(node));
  });
}

TEST_P(CCollectiveTest, EveryReductionIsWhatItsNameSays) {
  Run([this](int rank, PSNode node) {
    const auto mine = static_cast<float>(rank + 1);
    const std::vector<float> expected[] = {{0, 1, 3, 6}, {0, 1, 2, 6}, {0, 1, 1, 1}, {0, 1, 2, 3}};
    for (const int op : {PS_SUM, PS_PROD, PS_MIN, PS_MAX}) {
      const CTensor values = MakeCTensor(Floats{mine, 1});
      Ok(PSAllreduce(node, values.get(), op));
      EXPECT_EQ(ElementsOf<float>(values.get())[0], expected[op][static_cast<std::size_t>(size())]) << op;
    }
    const CTensor values = MakeCTensor(Floats{mine});
    Fails(PSAllreduce(node, values.get(), 4), PS_INVALID_ARGUMENT, "no reduction has the number 4");
  });
}

TEST_P(CCollectiveTest, NamedOnesMeetInAnyOrder) {
  Run([this](int rank, PSNode node) {
    const char* const names[] = {rank == 1 ? "b" : "a", rank == 1 ? "a" : "b"};
    PSRequest requests[2] = {};
    CTensor values[2];
    for (int i = 0; i < 2; ++i) {
      values[i] = MakeCTensor(Floats{*names[i] == 'a' ? 1.0F : 10.0F});
      Ok(PSAllreduceNamed(node, values[i].get(), PS_SUM, names[i], &requests[i]));
    }
    for (int i = 0; i < 2; ++i) {
      Ok(PSRequestWait(requests[i], -1));
      Ok(PSRequestFree(requests[i]));
      EXPECT_EQ(ElementsOf<float>(values[i].get())[0],
                static_cast<float>(size()) * (*names[i] == 'a' ? 1 : 10));
    }
    Ok(PSAllreduceNamed(node, values[0].get(), PS_MAX, "waits", nullptr));
    // Nobody waits, and the handle is freed.
    PSRequest request = nullptr;
    Ok(PSAllreduceNamed(node, MakeCTensor(Floats(100000, 1)).get(), PS_SUM, "freed", &request));
    Ok(PSRequestWait(request, -1));
    Ok(PSRequestFree(request));
    Fails(PSAllreduceNamed(node, values[0].get(), PS_SUM, "", nullptr), PS_INVALID_ARGUMENT, "");
    Fails(PSAllreduceNamed(node, values[0].get(), PS_SUM, nullptr, nullptr), PS_INVALID_ARGUMENT,
          "name is null");
  });
}

// What a collective's callback has begun, where it may not wait.
struct Inner {
  PSNode node = nullptr;
  float values[2] = {1, 2};
  std::promise<int> refused;
  std::atomic<bool> is_there{true};
  std::promise<void> gone;
};

void Begin(int /*code*/, const char* /*message*/, void* context) {
  auto* const inner = static_cast<Inner*>(context);
  PSTensorInfo info{};
  info.struct_size = sizeof info;
  const std::int64_t shape[] = {2};
  info.ndim = 1;
  info.shape = shape;
  const auto deleter = [](void* /*data*/, void* of) {
    static_cast<Inner*>(of)->is_there = false;
    static_cast<Inner*>(of)->gone.set_value();
  };
  CTensor tensor;
  Ok(PSTensorFromPtr(inner->values, &info, deleter, inner, tensor.out()));
  const int code = PSAllreduceNamed(inner->node, tensor.get(), PS_SUM, "inner", nullptr);
  tensor = CTensor();
  inner->refused.set_value(code);
}

TEST_P(CCollectiveTest, WhatACallbackMayNotWaitForKeepsItsArray) {
  if (size() == 1) GTEST_SKIP() << "alone it is done at once";
  Inner inner;
  std::future<int> refused = inner.refused.get_future();
  RunOnEachWorker(size(), [&](int rank) {
    const PSNode node = cluster_.worker(rank);
    const CTensor values = MakeCTensor(Floats{1, 2});
    PSRequest request = nullptr;
    if (rank == 0) inner.node = node;
    Ok(PSAllreduceNamed(node, values.get(), PS_SUM, "outer", &request));
    if (rank == 0) Ok(PSRequestThen(request, Begin, &inner));
    Ok(PSRequestWait(request, -1));
    Ok(PSRequestFree(request));
    if (rank == 0) {
      EXPECT_EQ(refused.get(), PS_FAILED_PRECONDITION);
      EXPECT_TRUE(inner.is_there) << "the others have not begun";
    }
    Ok(PSCollectiveBarrier(node));
    if (rank != 0) Ok(PSAllreduceNamed(node, values.get(), PS_SUM, "inner", nullptr));
  });
  inner.gone.get_future().wait();
}

TEST_P(CCollectiveTest, PartsAreScatteredAndGathered) {
  Run([this](int rank, PSNode node) {
    const auto ranks = static_cast<std::size_t>(size());
    Floats whole(2 * ranks);
    for (std::size_t i = 0; i < whole.size(); ++i) whole[i] = static_cast<float>(i);
    const CTensor values = MakeCTensor(whole);
    const CTensor part = MakeCTensor(Floats(2));
    Ok(PSReduceScatter(node, values.get(), part.get(), PS_SUM));
    const auto first = static_cast<float>(size() * 2 * rank);
    EXPECT_EQ(ElementsOf<float>(part.get()), (Floats{first, first + static_cast<float>(size())}));
    EXPECT_EQ(ElementsOf<float>(values.get()), whole);
    const CTensor all = MakeCTensor(Floats(whole.size()));
    Ok(PSAllgather(node, part.get(), all.get()));
    for (float& value : whole) value *= static_cast<float>(size());
    EXPECT_EQ(ElementsOf<float>(all.get()), whole);
    Fails(PSAllgather(node, MakeCTensor(Floats(3)).get(), all.get()), PS_INVALID_ARGUMENT, "Allgather");
  });
}

TEST_P(CCollectiveTest, TheRootsValuesAreEverybodys) {
  Run([this](int rank, PSNode node) {
    const CTensor values = MakeCTensor(std::vector<std::int64_t>{rank, -rank});
    Ok(PSBroadcast(node, values.get(), size() - 1));
    EXPECT_EQ(ElementsOf<std::int64_t>(values.get()), (std::vector<std::int64_t>{size() - 1, 1 - size()}));
    Fails(PSBroadcast(node, values.get(), size()), PS_INVALID_ARGUMENT, "rank " + std::to_string(size()));
  });
}

TEST(CCollectiveErrorsTest, WhatIsNotGivenIsNamed) {
  const HandleBalance balance;
  const CCluster cluster(1, 1);
  const PSNode node = cluster.worker(0);
  Fails(PSAllreduce(node, nullptr, PS_SUM), PS_INVALID_ARGUMENT, "the PSTensor is null");
  Fails(PSCollectiveGetRank(node, nullptr), PS_INVALID_ARGUMENT, "rank is null");
  Fails(PSCollectiveGetSize(node, nullptr), PS_INVALID_ARGUMENT, "size is null");
  Fails(PSCollectiveBarrier(reinterpret_cast<PSNode>(std::uintptr_t{1} << 60)), PS_INVALID_ARGUMENT,
        "a PSNode that is not there");
  Ok(PSLocalClusterClose(cluster.get(), 0));
  Fails(PSCollectiveBarrier(node), PS_FAILED_PRECONDITION, "closed");
}

}  // namespace
}  // namespace ps

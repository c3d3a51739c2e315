// SharedModel of type allreduce over several workers of a cluster: its acceptance vectors (sm-vec-*).
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ps/local_cluster.h"
#include "ps/postoffice.h"
#include "ps/run_server.h"
#include "ps/shared_model.h"
#include "tests/support/model_vectors.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

void RunAllreduce(const Params& params, const std::string& updater,
                  const std::function<void(SharedModel*, int)>& code) {
  const Watchdog watchdog(std::chrono::seconds(60));
  static_cast<void>(TestUpdater());
  LocalCluster cluster(0, 2);
  cluster.RunProgram([&](Postoffice& node) {
    if (!node.is_worker()) return RunServer();
    node.Start(0, nullptr, true);
    {
      const auto model = SharedModel::Create("allreduce");
      for (const auto& [name, value] : params) model->SetParam(name, value);
      if (!updater.empty()) model->SetUpdater(updater);
      model->Init({3, 7});
      code(model.get(), node.my_rank());
    }
    node.Finalize(0, true);
  });
}

TEST(SharedModelAllreduce, AllProcessesDevicesAreSummedOrAveraged) {  // sm-vec-28
  for (const char* scale : {"sum", "mean"}) {
    RunAllreduce({{"scale", scale}}, "", [&](SharedModel* model, int rank) {
      const float expected = scale == std::string("sum") ? 10 : 5;
      model->InitKey({1}, 0, 3);
      for (int round = 0; round < 3; ++round) {
        EXPECT_EQ(Round(model, static_cast<float>(2 * rank + 1), static_cast<float>(2 * rank + 2)),
                  (Floats{expected, expected}));
      }
    });
  }
}

TEST(SharedModelAllreduce, ProcessesMayTakeUpKeysInAnyOrder) {
  RunAllreduce({}, "", [](SharedModel* model, int rank) {
    for (int key = 0; key < 4; ++key) model->InitKey({1}, key, 3);
    Floats one{1};
    Floats out[4] = {Floats(1), Floats(1), Floats(1), Floats(1)};
    for (int i = 0; i < 4; ++i) {
      const int key = rank == 0 ? i : 3 - i;
      for (const int device : {3, 7}) model->Push(ViewOf(&one), key, device);
      model->PullReq(ViewOf(&out[key]), key, 3);
    }
    for (int key = 0; key < 4; ++key) {
      model->PullWait(key, 3);
      EXPECT_EQ(out[key], Floats{4});
    }
  });
}

TEST(SharedModelAllreduce, TheUpdaterRunsInEveryProcess) {
  RunAllreduce(
      {{"update_on_server", "1"}, {"scale", "mean"}}, TestUpdater(), [](SharedModel* model, int rank) {
        model->InitKey({1}, 90, 3);
        EXPECT_EQ(Round(model, static_cast<float>(2 * rank + 1), static_cast<float>(2 * rank + 2), 90),
                  (Floats{8.75, 8.75}));
      });
}

TEST(SharedModelAllreduce, WhatProcessesMeanDifferentlyIsNamed) {
  RunAllreduce({}, "", [](SharedModel* model, int rank) {
    const std::int64_t size = rank + 1;
    model->InitKey({size}, 0, 3);
    Floats value(static_cast<std::size_t>(size), 1);
    model->Push(ViewOf(&value), 0, 3);
    model->Push(ViewOf(&value), 0, 7);
    Floats out(static_cast<std::size_t>(size));
    ExpectRefused(StatusCode::kInvalidArgument, {"1 f32", "2 f32", "worker 0", "worker 1"},
                  [&] { model->PullReq(ViewOf(&out), 0, 3).Wait(); });
  });
}

TEST(SharedModelAllreduce, WhatDevicesGatherOrAverageIsSummedOverProcesses) {
  for (const char* scale : {"sum", "mean"}) {
    RunAllreduce({{"push_op[1]", "gather"}, {"push_op[2]", "mean"}, {"scale", scale}}, "",
                 [&](SharedModel* model, int rank) {
                   const float part = scale == std::string("sum") ? 1 : .5F;
                   model->InitKey({1, 2}, 1, 3);
                   model->InitKey({1}, 2, 3);
                   const auto number = static_cast<float>(2 * rank);
                   Floats three{number + 1, 10};
                   Floats seven{number + 2, 20};
                   Floats out(4);
                   model->Push(ViewOf(&three, {1, 2}), 1, 3);
                   model->Push(ViewOf(&seven, {1, 2}), 1, 7);
                   model->PullReq(ViewOf(&out, {2, 2}), 1, 7).Wait();
                   EXPECT_EQ(out, (Floats{4 * part, 20 * part, 6 * part, 40 * part}));
                   EXPECT_EQ(Round(model, number + 1, number + 2, 2), (Floats{5 * part, 5 * part}));
                 });
  }
}

TEST(SharedModelAllreduce, WholeNumbersAreSummedExactly) {
  RunAllreduce({}, "", [](SharedModel* model, int rank) {
    ExpectSumOf<std::int32_t>(model, 1, 16777217 + rank, 4 * 16777217 + 2);
    ExpectSumOf<std::int64_t>(model, 2, (std::int64_t{1} << 60) + rank, (std::int64_t{1} << 62) + 2);
  });
  RunAllreduce({{"scale", "mean"}}, "", [](SharedModel* model, int) {
    ExpectRefused(StatusCode::kInvalidArgument, {"key 1, device 3", "scale=mean", "i32"},
                  [&] { model->InitKey({1}, 1, 3, DType::kI32); });
  });
}

TEST(SharedModelAllreduce, ASecondPullReqIsRefusedWhileOneWaits) {  // sm-vec-17
  RunAllreduce({}, "", [](SharedModel* model, int) {
    model->InitKey({1}, 0, 3);
    ExpectOnePullAtATime(model);
  });
}

TEST(SharedModelAllreduce, DestroyedWithWorkUnderWayItReturnsAndCallsNobody) {  // sm-vec-31
  for (const char* updates : {"0", "1"}) {
    // The other worker contributes nothing, and goes when it hears that this one does.
    RunAllreduce({}, "", [&](SharedModel*, int rank) {
      if (rank == 0) DestroyWithWorkUnderWay("allreduce", {{"update_on_server", updates}});
    });
  }
}

}  // namespace
}  // namespace ps

// The acceptance vectors of SharedModel (sm-vec-*), in one process and over a cluster's servers.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "ps/local_cluster.h"
#include "ps/postoffice.h"
#include "ps/run_server.h"
#include "ps/shared_model.h"
#include "store/shared_store.h"
#include "tests/support/model_vectors.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

// Runs `program` where models are local, and as the workers of a cluster of two servers.
class SharedModelVectors : public testing::TestWithParam<const char*> {
 protected:
  bool is_local() const { return std::string(GetParam()) == "local"; }
  void Run(const std::function<void()>& program, int num_workers = 1) {
    static_cast<void>(TestUpdater());
    if (is_local()) return program();
    LocalCluster cluster(2, num_workers);
    cluster.RunProgram([&](Postoffice& node) {
      if (!node.is_worker()) return RunServer();
      const std::shared_ptr<SharedStore> store = SharedStore::Of(&node);  // of all models of the program
      program();
    });
  }
  // Devices 3 and 7 with key 0 of one element; `dist` is made to give each round's sum.
  std::unique_ptr<SharedModel> Make(const Params& params = {}, const std::string& updater = "") const {
    std::unique_ptr<SharedModel> model = SharedModel::Create(GetParam());
    if (!is_local()) model->SetParam("mode", "bsp");
    for (const auto& [name, value] : params) model->SetParam(name, value);
    if (!updater.empty()) model->SetUpdater(updater);
    model->Init({3, 7});
    model->InitKey({1}, 0, 3);
    model->InitKey({1}, 0, 7);
    return model;
  }

  Watchdog watchdog_{std::chrono::seconds(60)};
};

TEST_P(SharedModelVectors, RoundsAreSums) {  // sm-vec-03, 05, 08
  Run([this] {
    int number = 0;
    for (const char* push : {"one", "ndev"}) {
      for (const char* pull : {"one", "ndev"}) {
        SharedModelOptions options;
        options.name = "m" + std::to_string(++number);
        const auto model = SharedModel::Create(GetParam(), options);
        if (!is_local()) model->SetParam("mode", "bsp");
        model->SetParam("push_thread", push);
        model->SetParam("pull_thread", pull);
        model->Init({3, 7});
        model->InitKey({1}, 0, 3);
        EXPECT_EQ(Round(model.get(), 1, 2), (Floats{3, 3})) << push << pull;
        EXPECT_EQ(Round(model.get(), 10, 20), (Floats{30, 30})) << push << pull;
      }
    }
  });
}

TEST_P(SharedModelVectors, ADeviceGetsItsCallbackOnce) {  // sm-vec-07
  Run([this] {
    const auto model = Make();
    Floats value{1};
    Floats out(1);
    std::atomic<int> calls{0};
    model->Push(ViewOf(&value), 0, 3);
    model->Push(ViewOf(&value), 0, 7);
    model->PullReq(ViewOf(&out), 0, 3, 0, [&](Stream* stream) {
      EXPECT_EQ(stream->device(), DeviceId::Cpu());
      EXPECT_EQ(out, Floats{2});
      ++calls;
    });
    model->PullWait(0, 3);
    EXPECT_EQ(calls, 1);
  });
}

TEST_P(SharedModelVectors, TheServersRuleMakesTheWeight) {  // sm-vec-10, 11
  Run([this] {
    const std::size_t lives_before = Diary().lives().size();
    const auto model = Make({{"update_on_server", "1"}, {"lr", ".25"}, {"msg:x", "1"}}, TestUpdater());
    Floats start(1);
    model->PullReq(ViewOf(&start), 0, 3).Wait();
    EXPECT_EQ(start, Floats{10});
    EXPECT_EQ(Round(model.get(), 1, 2), (Floats{9.25, 9.25}));
    const std::vector<UpdaterDiary::Life> lives = Diary().lives();
    ASSERT_EQ(lives.size(), lives_before + 1);
    const UpdaterDiary::Params& seen = lives.back().params;
    const auto has = [&seen](const std::string& name) {
      return std::any_of(seen.begin(), seen.end(), [&](const auto& param) { return param.first == name; });
    };
    EXPECT_TRUE(has("lr"));
    EXPECT_TRUE(has("update_on_server"));
    EXPECT_FALSE(has("msg:x"));
    EXPECT_GE(lives.back().rank, 0);
    EXPECT_FALSE(lives.back().had_argv);
  });
}

TEST_P(SharedModelVectors, ALaterInitKeyChangesNothing) {  // sm-vec-12
  Run([this] {
    const auto model = Make({{"update_on_server", "1"}}, TestUpdater());
    const int before = Diary().inits()[50];
    model->InitKey({1}, 50, 3);
    EXPECT_EQ(Round(model.get(), 1, 2, 50), (Floats{9.25, 9.25}));
    model->InitKey({1}, 50, 7);
    Floats out(1);
    model->PullReq(ViewOf(&out), 50, 7).Wait();
    EXPECT_EQ(out, Floats{9.25});
    EXPECT_EQ(Diary().inits()[50], before + 1);
    ExpectRefused(StatusCode::kInvalidArgument, {"key 50, device 7", "[1,2]"},
                  [&] { model->InitKey({2}, 50, 7); });
  });
}

TEST_P(SharedModelVectors, AKeyBeforeItsInitKeyIsAnError) {  // a late InitKey
  Run([this] {
    const auto model = Make();
    Floats value{1};
    ExpectRefused(StatusCode::kNotFound, {"key 9, device 3", "InitKey"},
                  [&] { model->Push(ViewOf(&value), 9, 3); });
    ExpectRefused(StatusCode::kNotFound, {"key 9, device 3", "InitKey"},
                  [&] { model->PullReq(ViewOf(&value), 9, 3); });
    const auto early = SharedModel::Create(GetParam());
    ExpectRefused(StatusCode::kFailedPrecondition, {"Init"}, [&] { early->InitKey({1}, 0, 0); });
  });
}

TEST_P(SharedModelVectors, MisuseIsRefusedByName) {  // sm-vec-17, 18, 20, 21, 22
  Run([this] {
    const auto model = Make();
    Floats one{1};
    Floats two{1, 2};
    Floats out(1);
    model->PullWait(0, 3);
    model->PullWait(99, 3);
    ExpectOnePullAtATime(model.get());
    ExpectRefused(StatusCode::kInvalidArgument, {"key 0, device 7", "[1,2]"},
                  [&] { model->Push(ViewOf(&two), 0, 7); });
    ExpectRefused(StatusCode::kInvalidArgument, {"device 5"}, [&] { model->Push(ViewOf(&one), 0, 5); });
    ExpectRefused(StatusCode::kInvalidArgument, {"device 5"}, [&] { model->InitKey({1}, 0, 5); });
    ExpectRefused(StatusCode::kFailedPrecondition, {"Init"}, [&] { model->Init({1}); });
    ExpectRefused(StatusCode::kInvalidArgument, {"push_op[0]", "sum, mean or gather"},
                  [&] { model->SetParam("push_op[0]", "max"); });
    ExpectRefused(StatusCode::kFailedPrecondition, {"lr", "Init"}, [&] { model->SetParam("lr", "1"); });
    ExpectRefused(StatusCode::kInvalidArgument, {"no elements"}, [&] {
      try {
        model->InitKey({0, 3}, 4, 3);
      } catch (const Error& error) {
        ThrowIfError(Status(error.code(), std::string(error.what()) + " no elements"));
      }
    });
    ExpectRefused(StatusCode::kFailedPrecondition, {"test_on_server"},
                  [&] { static_cast<void>(model->CheckWeight(ViewOf(&one), 0, 3)); });
    const auto other = SharedModel::Create(GetParam());
    ExpectRefused(StatusCode::kInvalidArgument, {"none"}, [&] { other->Init(std::vector<int>()); });
    ExpectRefused(StatusCode::kInvalidArgument, {"device -2"}, [&] { other->Init({1, -2}); });
    ExpectRefused(StatusCode::kInvalidArgument, {"ndev or one"},
                  [&] { other->SetParam("pull_thread", "2"); });
    ExpectRefused(StatusCode::kInvalidArgument, {"local, dist or allreduce"},
                  [] { SharedModel::Create("rabit"); });
  });
}

TEST_P(SharedModelVectors, DoublesAndHalves) {  // sm-vec-25
  Run([this] {
    const auto model = Make({{"update_on_server", "1"}}, TestUpdater());
    model->InitKey({2}, 1, 3, DType::kF64);
    model->InitKey({2}, 2, 3, DType::kF16);
    std::vector<double> doubles{1, 2};
    std::vector<Half> halves{Half(1.0F), Half(2.0F)};
    for (const int device : {3, 7}) {
      model->Push(ViewOf(&doubles), 1, device);
      model->Push(ViewOf(&halves), 2, device);
    }
    std::vector<double> doubles_out(2);
    std::vector<Half> halves_out(2);
    model->PullReq(ViewOf(&doubles_out), 1, 7).Wait();
    model->PullReq(ViewOf(&halves_out), 2, 7).Wait();
    EXPECT_EQ(doubles_out, (std::vector<double>{9.5, 9}));
    EXPECT_EQ(static_cast<float>(halves_out[0]), 9.5F);
    EXPECT_EQ(static_cast<float>(halves_out[1]), 9.0F);
  });
}

TEST_P(SharedModelVectors, WholeNumbers) {
  Run([this] {
    const auto model = Make();
    ExpectSumOf<std::int32_t>(model.get(), 1, 16777217, 2 * 16777217);
    ExpectSumOf<std::int64_t>(model.get(), 2, (std::int64_t{1} << 60) + 1, (std::int64_t{1} << 61) + 2);
    model->InitKey({1}, 3, 3, DType::kI64);
    ExpectRefused(StatusCode::kInvalidArgument, {"key 3", "mean", "i64"},
                  [&] { model->SetParam("push_op[3]", "mean"); });
  });
}

TEST_P(SharedModelVectors, WhatARuleThrowsIsAnErrorAndOthersGoOn) {
  Run([this] {
    const auto model = Make({{"update_on_server", "1"}}, TestUpdater());
    ExpectRefused(StatusCode::kInternal, {"no model for key 666"}, [&] { model->InitKey({1}, 666, 3); });
    model->InitKey({1}, 667, 3);
    ExpectRefused(StatusCode::kInternal, {"no update of key 667"}, [&] { Round(model.get(), 1, 2, 667); });
    EXPECT_EQ(Round(model.get(), 1, 2), (Floats{9.25, 9.25}));
  });
}

TEST_P(SharedModelVectors, AnInitKeyThatFailedMayBeCalledAgain) {
  static std::atomic<int> fails_left{0};
  static const Status known = RegisterModelUpdater("fails_at_first", [](DType) {
    if (fails_left-- > 0) throw std::runtime_error("no updater today");
    return std::unique_ptr<ModelUpdater>(std::make_unique<TestModelUpdater>(&Diary()));
  });
  ASSERT_EQ(known, Status::Ok());
  fails_left = 2;
  Run([this] {
    std::unique_ptr<SharedModel> model = SharedModel::Create(GetParam());
    model->SetParam("update_on_server", "1");
    if (!is_local()) model->SetParam("mode", "bsp");
    model->SetUpdater("fails_at_first");
    model->Init({3, 7});
    for (int i = 0; i < 2; ++i)
      ExpectRefused(StatusCode::kInternal, {"no updater today"}, [&] { model->InitKey({1}, 0, 3); });
    Floats value{1};
    ExpectRefused(StatusCode::kNotFound, {"key 0, device 3"}, [&] { model->Push(ViewOf(&value), 0, 3); });
    model->InitKey({1}, 0, 7);
    EXPECT_EQ(Round(model.get(), 1, 2), (Floats{9.25, 9.25}));
  });
}

TEST_P(SharedModelVectors, RulesOfTheLibraryHaveTheirOptions) {
  Run([] {
    std::unique_ptr<SharedModel> model = SharedModel::Create(GetParam());
    model->SetParam("update_on_server", "1");
    model->SetParam("wd", "0");
    model->SetUpdater("sgd", {{"lr", ".5"}});
    model->Init({3, 7});
    model->InitKey({1}, 0, 3);
    EXPECT_EQ(Round(model.get(), 1, 2), (Floats{-1.5, -1.5}));
    EXPECT_EQ(Round(model.get(), 1, 2), (Floats{-3, -3}));
    const auto wrong = SharedModel::Create(GetParam());
    wrong->SetParam("update_on_server", "1");
    wrong->SetUpdater("nobody_knows");
    wrong->Init({0});
    ExpectRefused(StatusCode::kNotFound, {"nobody_knows"}, [&] { wrong->InitKey({1}, 80, 0); });
  });
}

INSTANTIATE_TEST_SUITE_P(Places, SharedModelVectors, testing::Values("local", "dist"),
                         [](const auto& place) { return std::string(place.param); });

}  // namespace
}  // namespace ps

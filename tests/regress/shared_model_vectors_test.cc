// The acceptance vectors of SharedModel (sm-vec-*), in one process and over a cluster's servers.
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ps/local_cluster.h"
#include "ps/postoffice.h"
#include "ps/run_server.h"
#include "ps/shared_model.h"
#include "ps/store.h"
#include "store/shared_store.h"
#include "tests/support/model_arrays.h"
#include "tests/support/test_model_updater.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

using Floats = std::vector<float>;
using Params = std::map<std::string, std::string>;

UpdaterDiary& Diary() {
  static auto* diary = new UpdaterDiary;  // NOLINT: updaters of the process write into it
  return *diary;
}

const std::string& TestUpdater() {
  static const auto* name = new std::string(RegisterTestUpdater("vectors_updater", &Diary()));  // NOLINT
  return *name;
}

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

// Pushes on both devices, pulls on both, and says what came.
Floats Round(SharedModel* model, float of_three, float of_seven, int key = 0) {
  Floats three{of_three};
  Floats seven{of_seven};
  Floats pulled[2] = {Floats(1), Floats(1)};
  model->Push(ViewOf(&three), key, 3);
  model->Push(ViewOf(&seven), key, 7);
  model->PullReq(ViewOf(pulled), key, 3);
  model->PullReq(ViewOf(pulled + 1), key, 7);
  model->PullWait(key, 3);
  model->PullWait(key, 7);
  return {pulled[0][0], pulled[1][0]};
}

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
    model->PullReq(ViewOf(&out), 0, 3);
    if (is_local()) {  // dist has a value at once
      ExpectRefused(StatusCode::kFailedPrecondition, {"key 0, device 3"},
                    [&] { model->PullReq(ViewOf(&out), 0, 3); });
    }
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

TEST_P(SharedModelVectors, WhatARuleThrowsIsAnErrorAndOthersGoOn) {
  Run([this] {
    const auto model = Make({{"update_on_server", "1"}}, TestUpdater());
    ExpectRefused(StatusCode::kInternal, {"no model for key 666"}, [&] { model->InitKey({1}, 666, 3); });
    model->InitKey({1}, 667, 3);
    ExpectRefused(StatusCode::kInternal, {"no update of key 667"}, [&] { Round(model.get(), 1, 2, 667); });
    EXPECT_EQ(Round(model.get(), 1, 2), (Floats{9.25, 9.25}));
  });
}

TEST_P(SharedModelVectors, RulesOfTheLibraryHaveTheirOptions) {
  Run([this] {
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

// --- several workers ---

TEST(SharedModelDistVectors, EachWorkersSumIsAppliedWhenItComes) {  // sm-vec-26
  const Watchdog watchdog(std::chrono::seconds(60));
  LocalCluster cluster(1, 3);
  std::atomic<int> num_nines{0};
  cluster.RunProgram([&](Postoffice& node) {
    if (!node.is_worker()) return RunServer();
    const auto model = SharedModel::Create("dist");
    const std::vector<int> devices = {1, 2};
    model->Init(devices);
    const std::shared_ptr<SharedStore> store = SharedStore::Of(&node);
    Floats out[2][2] = {{Floats(1), Floats(1)}, {Floats(1), Floats(1)}};
    for (int key = 0; key < 2; ++key) {
      for (const int device : devices) {
        model->InitKey({1}, key, device);
        Floats& value = out[key][device - 1];
        model->PullReq(ViewOf(&value), key, device).Wait();
      }
    }
    EXPECT_EQ(out[0][0], Floats{0});
    store->store().Barrier();
    Floats zero{0};
    Floats row[2] = {Floats{1}, Floats{2}};
    for (const int device : devices) {
      model->Push(ViewOf(&zero), 0, device);
      model->Push(ViewOf(&row[device - 1]), 1, device);
      for (int key = 0; key < 2; ++key) model->PullReq(ViewOf(&out[key][device - 1]), key, device);
    }
    for (const int device : devices) {
      for (int key = 0; key < 2; ++key) model->PullWait(key, device);
      EXPECT_EQ(out[0][device - 1], Floats{0});
    }
    EXPECT_EQ(out[1][0], out[1][1]);
    const float sum = out[1][0][0];
    EXPECT_TRUE(sum == 3 || sum == 6 || sum == 9) << sum;
    if (sum == 9) ++num_nines;
    store->store().Barrier();
    for (const int device : devices) {
      model->PullReq(ViewOf(&out[1][device - 1]), 1, device).Wait();
      EXPECT_EQ(out[1][device - 1], Floats{9});
    }
    store->store().Barrier();
  });
  EXPECT_GE(num_nines, 1);
}

TEST(SharedModelDistVectors, WithBspEveryRoundIsTheSumOrMeanOfAllWorkers) {
  for (const char* scale : {"sum", "mean"}) {
    const Watchdog watchdog(std::chrono::seconds(60));
    LocalCluster cluster(2, 3);
    cluster.RunProgram([&](Postoffice& node) {
      if (!node.is_worker()) return RunServer();
      const auto model = SharedModel::Create("dist");
      model->SetParam("mode", "bsp");
      model->SetParam("scale", scale);
      model->SetParam("bigarray_bound", "4");
      model->Init({3, 7});
      model->InitKey({8}, 0, 3);
      for (int round = 1; round <= 5; ++round) {
        Floats three(8, static_cast<float>(round));
        Floats seven(8, static_cast<float>(10 * node.my_rank()));
        Floats out(8);
        model->Push(ViewOf(&three), 0, 3);
        model->Push(ViewOf(&seven), 0, 7);
        model->PullReq(ViewOf(&out), 0, 3).Wait();
        const float sum = static_cast<float>(3 * round + 30);
        EXPECT_EQ(out, Floats(8, scale == std::string("sum") ? sum : sum / 3));
      }
    });
  }
}

TEST(SharedModelDistVectors, LargeKeysAreUpdatedInPartsByAProgramsRule) {
  const Watchdog watchdog(std::chrono::seconds(60));
  static_cast<void>(TestUpdater());
  LocalCluster cluster(2, 1);
  const int before = Diary().inits()[70];
  std::vector<std::string> arguments = {"program", "lr=1"};
  std::vector<char*> argv = {arguments[0].data(), arguments[1].data()};
  cluster.RunProgram([&](Postoffice& node) {
    if (!node.is_worker()) return RunServer(2, argv.data());
    const auto model = SharedModel::Create("dist");
    model->SetUpdater(TestUpdater());
    model->SetParam("bigarray_bound", "4");
    model->Init({0});
    model->InitKey({9}, 70, 0);
    Floats value(9, 4);
    model->Push(ViewOf(&value), 70, 0);
    Floats out(9);
    model->PullReq(ViewOf(&out), 70, 0).Wait();
    EXPECT_EQ(out, Floats(9, 9));
  });
  EXPECT_EQ(Diary().inits()[70], before + 2) << "once per server's part";
  EXPECT_EQ(Diary().lives().back().command_line, arguments);
}

}  // namespace
}  // namespace ps

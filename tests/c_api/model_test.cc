#include "ps/c/model.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "c_api/tensor.h"
#include "tests/support/c_calls.h"
#include "tests/support/c_kv_world.h"
#include "tests/support/c_model.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

using Floats = std::vector<float>;

class CModelTest : public testing::Test {
 protected:
  HandleBalance balance_;
  Watchdog watchdog_;
  const CModel model_{"local"};
};

// Counts, and returns what it is told to.
struct Callback {
  std::atomic<int> calls{0};
  int result = PS_OK;
  void* stream = nullptr;

  static int Run(void* stream, void* context) {
    auto* const self = static_cast<Callback*>(context);
    self->stream = stream;
    ++self->calls;
    return self->result == PS_OK ? PS_OK : PSSetLastError(self->result, "not today");
  }
};

TEST_F(CModelTest, ACallbackIsCalledWithTheStreamOfTheProcessorWhichHasNone) {
  model_.Init();
  Callback callback;
  callback.stream = &callback;
  const CTensor into = MakeCTensor(Floats{0});
  PSRequest request = nullptr;
  Ok(model_.Push({1}, 0, 3));
  Ok(model_.Push({2}, 0, 7));
  Ok(PSSharedModelPullReq(model_.get(), into.get(), 0, 3, 0, Callback::Run, &callback, &request));
  Ok(PSRequestWait(request, -1));
  Ok(PSRequestFree(request));
  EXPECT_EQ(callback.calls, 1);
  EXPECT_EQ(callback.stream, nullptr);
  EXPECT_EQ(ElementsOf<float>(into.get()), Floats{3});
}

TEST_F(CModelTest, WhatACallbackFailsWithIsThePullsError) {
  model_.Init();
  Callback callback;
  callback.result = PS_RESOURCE_EXHAUSTED;
  const CTensor into = MakeCTensor(Floats{0});
  Ok(model_.Push({1}, 0, 3));
  Ok(model_.Push({2}, 0, 7));
  Ok(PSSharedModelPullReq(model_.get(), into.get(), 0, 3, 0, Callback::Run, &callback, nullptr));
  Fails(model_.PullWait(0, 3), PS_RESOURCE_EXHAUSTED, "not today");
}

TEST_F(CModelTest, AWaitForAPullMayEndBefore) {
  model_.Init();
  const CTensor into = MakeCTensor(Floats{0});
  Ok(model_.Push({1}, 0, 3));
  Ok(model_.PullReq(into.get(), 0, 3));
  Fails(PSSharedModelPullWait(model_.get(), 0, 3, 1), PS_DEADLINE_EXCEEDED, "device 7");
  Fails(PSSharedModelPullWait(model_.get(), 0, 3, -2), PS_INVALID_ARGUMENT, "timeout_ms is -2");
  Ok(model_.Push({2}, 0, 7));
  Ok(PSSharedModelPullWait(model_.get(), 0, 3, std::numeric_limits<std::int64_t>::max()));
  EXPECT_EQ(ElementsOf<float>(into.get()), Floats{3});
}

TEST_F(CModelTest, ARequestOfAPushIsDoneWhenTheRoundIsMerged) {
  model_.Init();
  PSRequest request = nullptr;
  Ok(model_.Push({1}, 0, 3, &request));
  int done = -1;
  Ok(PSRequestDone(request, &done));
  EXPECT_EQ(done, 0);
  Ok(model_.Push({2}, 0, 7));
  Ok(PSRequestWait(request, -1));
  Ok(PSRequestFree(request));
}

// Memory of the caller, who is told when it is not used any more.
class Lent {
 public:
  PSTensor Make(float value) {
    const std::int64_t length = 1;
    PSTensorInfo info{};
    info.struct_size = sizeof info;
    info.ndim = 1;
    info.shape = &length;
    memory_ = value;
    PSTensor tensor = nullptr;
    Ok(PSTensorFromPtr(
        &memory_, &info, [](void*, void* self) { static_cast<Lent*>(self)->is_back_ = true; }, this,
        &tensor));
    return tensor;
  }
  bool is_back() const { return is_back_; }
  // Some thread of the model may be about to let go of it.
  void AwaitBack() const {
    while (!is_back_) std::this_thread::yield();
  }

 private:
  float memory_ = 0;
  std::atomic<bool> is_back_{false};
};

TEST_F(CModelTest, APushedArrayIsKeptUntilItsRoundIsMerged) {
  model_.Init();
  Lent lent;
  const PSTensor pushed = lent.Make(1);
  Ok(PSSharedModelPush(model_.get(), pushed, 0, 3, 0, nullptr));
  Ok(PSTensorFree(pushed));
  EXPECT_FALSE(lent.is_back());
  Ok(model_.Push({2}, 0, 7));
  EXPECT_EQ(model_.Pulled(0, 3), 3);
  lent.AwaitBack();
}

TEST_F(CModelTest, TheArrayOfADeviceAloneIsKeptUntilItWasPulled) {
  const int alone = 0;
  Ok(PSSharedModelInit(model_.get(), 1, &alone));
  model_.InitKey(0, 0, {1});
  Lent lent;
  PSRequest merged = nullptr;
  const PSTensor pushed = lent.Make(5);
  Ok(PSSharedModelPush(model_.get(), pushed, 0, 0, 0, &merged));
  Ok(PSTensorFree(pushed));
  Ok(PSRequestWait(merged, -1));
  Ok(PSRequestFree(merged));
  EXPECT_FALSE(lent.is_back());
  EXPECT_EQ(model_.Pulled(0, 0), 5);
  lent.AwaitBack();
  // Or until the model ends.
  Lent second;
  const PSTensor again = second.Make(6);
  Ok(PSSharedModelPush(model_.get(), again, 0, 0, 0, nullptr));
  Ok(PSTensorFree(again));
  Ok(PSSharedModelClose(model_.get()));
  EXPECT_TRUE(second.is_back());
}

TEST_F(CModelTest, ItsWeightCanBeComparedAndSet) {
  model_.Init({{"test_on_server", "1"}}, "sgd lr=.5");
  EXPECT_EQ(model_.Round(1, 2), (Floats{3, 3}));
  const CTensor right = MakeCTensor(Floats{-1.5});
  Ok(PSSharedModelCheckWeight(model_.get(), right.get(), 0, 3));
  const CTensor wrong = MakeCTensor(Floats{1});
  Fails(PSSharedModelCheckWeight(model_.get(), wrong.get(), 0, 3), PS_FAILED_PRECONDITION, "key 0, device 3");
  Ok(PSSharedModelSetWeight(model_.get(), wrong.get(), 0, 3));
  Ok(PSSharedModelCheckWeight(model_.get(), wrong.get(), 0, 3));
}

TEST_F(CModelTest, TheOthersAreToldOfADeviceThatFails) {
  model_.Init();
  const CTensor into = MakeCTensor(Floats{0});
  Ok(model_.Push({1}, 0, 3));
  Ok(model_.PullReq(into.get(), 0, 3));
  Ok(PSSharedModelFail(model_.get(), 7, "it has burnt"));
  Fails(model_.PullWait(0, 3), PS_UNAVAILABLE, "it has burnt");
}

TEST_F(CModelTest, AfterTheEndThereIsNoMore) {
  model_.Init();
  const CTensor into = MakeCTensor(Floats{0});
  Ok(model_.Push({1}, 0, 3));
  Ok(model_.PullReq(into.get(), 0, 3));
  Ok(PSSharedModelClose(model_.get()));
  Fails(model_.PullWait(0, 3), PS_CANCELLED, "");
  Fails(model_.Push({1}, 0, 3), PS_CANCELLED, "");
  Ok(PSSharedModelClose(model_.get()));
}

TEST_F(CModelTest, ACallbackMayFreeTheModel) {
  PSSharedModel model = nullptr;
  Ok(PSSharedModelCreate("local", nullptr, &model));
  const int alone = 0;
  const std::int64_t length = 1;
  Ok(PSSharedModelInit(model, 1, &alone));
  Ok(PSSharedModelInitKey(model, 0, 0, PS_F32, 1, &length));
  const CTensor tensor = MakeCTensor(Floats{1});
  Ok(PSSharedModelPush(model, tensor.get(), 0, 0, 0, nullptr));
  const auto free = [](void*, void* context) {
    return PSSharedModelFree(static_cast<PSSharedModel>(context));
  };
  PSRequest request = nullptr;
  Ok(PSSharedModelPullReq(model, tensor.get(), 0, 0, 0, free, model, &request));
  static_cast<void>(PSRequestWait(request, -1));
  Ok(PSRequestFree(request));
  EXPECT_EQ(PSSharedModelFree(model), PS_INVALID_ARGUMENT);
}

TEST_F(CModelTest, WhatCanNotBeIsNamed) {
  const CTensor one = MakeCTensor(Floats{1});
  PSSharedModel none = nullptr;
  Fails(PSSharedModelCreate("rabit", nullptr, &none), PS_INVALID_ARGUMENT, "local, dist or allreduce");
  Fails(PSSharedModelCreate(nullptr, nullptr, &none), PS_INVALID_ARGUMENT, "type is null");
  Fails(PSSharedModelCreate("local", nullptr, nullptr), PS_INVALID_ARGUMENT, "model is null");
  PSSharedModelOptions options{};
  Fails(PSSharedModelCreate("local", &options, &none), PS_INVALID_ARGUMENT, "sizeof(PSSharedModelOptions)");
  Fails(PSSharedModelInit(model_.get(), 2, nullptr), PS_INVALID_ARGUMENT, "devices is null");
  Fails(PSSharedModelInit(model_.get(), 0, nullptr), PS_INVALID_ARGUMENT, "none");
  Fails(PSSharedModelSetParam(model_.get(), nullptr, "1"), PS_INVALID_ARGUMENT, "name is null");
  Fails(PSSharedModelSetParam(model_.get(), "lr", nullptr), PS_INVALID_ARGUMENT, "value is null");
  Fails(PSSharedModelSetUpdater(model_.get(), "lr=1"), PS_INVALID_ARGUMENT, "");
  Fails(PSSharedModelSetUpdater(model_.get(), nullptr), PS_INVALID_ARGUMENT, "updater is null");
  model_.Init();
  Fails(PSSharedModelInitKey(model_.get(), 1, 3, 99, 0, nullptr), PS_INVALID_ARGUMENT, "99");
  Fails(PSSharedModelInitKey(model_.get(), 1, 3, PS_F32, 1, nullptr), PS_INVALID_ARGUMENT, "shape is null");
  Fails(PSSharedModelFail(model_.get(), 3, nullptr), PS_INVALID_ARGUMENT, "why is null");
  Fails(model_.PullReq(nullptr, 0, 3), PS_INVALID_ARGUMENT, "the PSTensor is null");
  const CTensor rows(
      c_api::NewTensor(Tensor::RowSparse({3}, Tensor::Full({1}, 2, DType::kI64), Tensor::Full({1}, 2))));
  Fails(PSSharedModelPush(model_.get(), rows.get(), 0, 3, 0, nullptr), PS_INVALID_ARGUMENT,
        "a row-sparse tensor where a dense one is needed");
  Fails(PSSharedModelPush(nullptr, one.get(), 0, 3, 0, nullptr), PS_INVALID_ARGUMENT,
        "the PSSharedModel is null");
}

TEST(CModelClusterTest, ServersHaveTheWeights) {
  const HandleBalance balance;
  const Watchdog watchdog;
  const CCluster cluster(2, 1);
  const CModel model("dist", cluster.worker(0));
  model.Init({{"mode", "bsp"}}, "sgd lr=.5");
  EXPECT_EQ(model.Round(1, 2), (Floats{-1.5, -1.5}));
  EXPECT_EQ(model.Round(1, 2), (Floats{-3, -3}));
}

}  // namespace
}  // namespace ps

// Acceptance vectors of SharedModel (sm-vec-*) by the C functions: in one process, over a cluster's servers,
// and as an allreduce of one to three workers.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/c_calls.h"
#include "tests/support/c_kv_world.h"
#include "tests/support/c_model.h"
#include "tests/support/each_worker.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

using Floats = std::vector<float>;

// weight = 10, then weight -= lr * delta.
struct Rule {
  float lr = 1;

  static std::atomic<int>& Alive() {
    static std::atomic<int> alive{0};
    return alive;
  }
  static int Create(int dtype, void*, void** object) {
    if (dtype != PS_F32) return PSSetLastError(PS_INVALID_ARGUMENT, "floats only");
    *object = new Rule;  // NOLINT: Destroy has it
    ++Alive();
    return PS_OK;
  }
  static int SetParam(void* object, const char* name, const char* value) {
    auto* const self = static_cast<Rule*>(object);
    if (std::string(name) == "lr") self->lr = std::stof(value);
    if (std::string(name) == "msg:x") return PSSetLastError(PS_INTERNAL, "a message for the model itself");
    return PS_OK;
  }
  static int InitModel(void*, int, void* weight, size_t size) {
    for (size_t i = 0; i < size; ++i) static_cast<float*>(weight)[i] = 10;
    return PS_OK;
  }
  static int Update(void* object, int, void* weight, const void* delta, size_t size) {
    for (size_t i = 0; i < size; ++i)
      static_cast<float*>(weight)[i] -= static_cast<Rule*>(object)->lr * static_cast<const float*>(delta)[i];
    return PS_OK;
  }
  static void Destroy(void* object) {
    delete static_cast<Rule*>(object);  // NOLINT: of Create
    --Alive();
  }
};

// Under a name of its own per process.
const char* TheRule() {
  static const bool is_registered = [] {
    PSModelUpdater functions{};
    functions.struct_size = sizeof functions;
    functions.create = Rule::Create;
    functions.set_param = Rule::SetParam;
    functions.init_model = Rule::InitModel;
    functions.update = Rule::Update;
    functions.destroy = Rule::Destroy;
    return PSRegisterModelUpdater("c_vectors_rule", &functions, nullptr) == PS_OK;
  }();
  EXPECT_TRUE(is_registered);
  return "c_vectors_rule";
}

class CModelVectors : public testing::TestWithParam<std::string> {
 protected:
  CModelVectors() {
    if (!is_local()) cluster_ = std::make_unique<CCluster>(2, 1);
  }

  bool is_local() const { return GetParam() == "local"; }
  // Of dist it gives each round's sum. Every model has keys of its own.
  std::unique_ptr<CModel> Make(CModel::Params params = {}, const char* updater = nullptr) {
    auto model = MakeBare();
    if (!is_local()) params.emplace_back("mode", "bsp");
    model->Init(params, updater);
    return model;
  }
  std::unique_ptr<CModel> MakeBare() {
    name_ = "m" + std::to_string(++num_models_);
    return std::make_unique<CModel>(GetParam(), is_local() ? nullptr : cluster_->worker(0), name_.c_str());
  }

  HandleBalance balance_;
  Watchdog watchdog_{std::chrono::seconds(60)};
  std::unique_ptr<CCluster> cluster_;
  std::string name_;
  int num_models_ = 0;
};
INSTANTIATE_TEST_SUITE_P(Places, CModelVectors, testing::Values("local", "dist"),
                         [](const auto& place) { return std::string(place.param); });

TEST_P(CModelVectors, RoundsAreSums) {  // sm-vec-03, 05, 08
  for (const char* push : {"one", "ndev"}) {
    for (const char* pull : {"one", "ndev"}) {
      const auto model = Make({{"push_thread", push}, {"pull_thread", pull}});
      EXPECT_EQ(model->Round(1, 2), (Floats{3, 3})) << push << pull;
      EXPECT_EQ(model->Round(10, 20), (Floats{30, 30})) << push << pull;
    }
  }
}

TEST_P(CModelVectors, ADeviceGetsItsCallbackOnceWithItsArgument) {  // sm-vec-07
  struct Seen {
    PSTensor tensor;
    std::atomic<int> calls{0};
    Floats values;
  };
  const auto callback = [](void* stream, void* context) {
    auto* const seen = static_cast<Seen*>(context);
    EXPECT_EQ(stream, nullptr);
    seen->values = ElementsOf<float>(seen->tensor);
    ++seen->calls;
    return static_cast<int>(PS_OK);
  };
  const auto model = Make();
  const CTensor into = MakeCTensor(Floats{0});
  Seen seen;
  seen.tensor = into.get();
  Ok(model->Push({1}, 0, 3));
  Ok(model->Push({1}, 0, 7));
  Ok(PSSharedModelPullReq(model->get(), into.get(), 0, 3, 0, callback, &seen, nullptr));
  Ok(model->PullWait(0, 3));
  EXPECT_EQ(seen.calls, 1);
  EXPECT_EQ(seen.values, Floats{2});
}

TEST_P(CModelVectors, TheServersRuleMakesTheWeight) {  // sm-vec-10, 11
  {
    const auto model = Make({{"update_on_server", "1"}, {"lr", ".25"}, {"msg:x", "1"}}, TheRule());
    EXPECT_EQ(model->Pulled(0, 3), 10);
    EXPECT_EQ(model->Round(1, 2), (Floats{9.25, 9.25}));
    EXPECT_GT(Rule::Alive(), 0);
  }
  cluster_.reset();
  EXPECT_EQ(Rule::Alive(), 0);
}

TEST_P(CModelVectors, MisuseIsRefusedByName) {  // sm-vec-17, 18, 20, 21, 22
  const auto model = Make();
  Ok(model->PullWait(0, 3));
  Ok(model->PullWait(99, 3));
  const CTensor out = MakeCTensor(Floats{0});
  Ok(model->PullReq(out.get(), 0, 3));
  if (is_local()) {  // dist has a value at once
    Fails(model->PullReq(out.get(), 0, 3), PS_FAILED_PRECONDITION, "key 0, device 3");
  }
  Fails(model->Push({1, 2}, 0, 7), PS_INVALID_ARGUMENT, "key 0, device 7");
  Fails(model->Push({1}, 0, 5), PS_INVALID_ARGUMENT, "device 5");
  Fails(model->Push({1}, 9, 3), PS_NOT_FOUND, "key 9, device 3");
  Fails(model->PullReq(out.get(), 9, 3), PS_NOT_FOUND, "key 9, device 3");
  const std::int64_t two = 2;
  Fails(PSSharedModelInitKey(model->get(), 0, 3, PS_F32, 1, &two), PS_INVALID_ARGUMENT, "[1,2]");
  Fails(PSSharedModelInitKey(model->get(), 1, 5, PS_F32, 1, &two), PS_INVALID_ARGUMENT, "device 5");
  const int devices[] = {1, -2};
  Fails(PSSharedModelInit(model->get(), 1, devices), PS_FAILED_PRECONDITION, "Init");
  Fails(PSSharedModelSetParam(model->get(), "push_op[0]", "max"), PS_INVALID_ARGUMENT, "sum, mean or gather");
  Fails(PSSharedModelSetParam(model->get(), "lr", "1"), PS_FAILED_PRECONDITION, "Init");
  const auto other = MakeBare();
  Fails(PSSharedModelInit(other->get(), 2, devices), PS_INVALID_ARGUMENT, "device -2");
  Fails(PSSharedModelInit(other->get(), 0, nullptr), PS_INVALID_ARGUMENT, "none");
  Fails(PSSharedModelSetParam(other->get(), "pull_thread", "2"), PS_INVALID_ARGUMENT, "ndev or one");
}

// Calls after the end.
struct Late {
  std::atomic<bool> is_gone{false};
  std::atomic<int> calls{0};

  static int Count(void*, void* context) {
    auto* const late = static_cast<Late*>(context);
    late->calls += late->is_gone ? 1 : 0;
    return PS_OK;
  }
};

void BeginWork(const CModel& model, int key, int device, Late* late) {
  constexpr std::int64_t kSize = 100000;
  model.InitKey(key, device, {kSize});
  Ok(model.Push(Floats(kSize, 1), key, device));
  const CTensor into = MakeCTensor(Floats(kSize));
  Ok(PSSharedModelPullReq(model.get(), into.get(), key, device, 0, Late::Count, late, nullptr));
}

TEST_P(CModelVectors, FreedWithWorkUnderWayItReturnsAndCallsNobody) {  // sm-vec-31
  for (int round = 0; round < 10; ++round) {
    Late late;
    auto model = MakeBare();
    if (round % 2 == 1) Ok(PSSharedModelSetUpdater(model->get(), "sgd"));
    if (round % 2 == 1) Ok(PSSharedModelSetParam(model->get(), "update_on_server", "1"));
    Ok(PSSharedModelInit(model->get(), 2, CModel::kDevices.data()));
    for (int key = 0; key < 4; ++key) {
      for (const int device : CModel::kDevices) BeginWork(*model, key, device, &late);
    }
    BeginWork(*model, 4, 3, &late);  // without the other device its pull waits for ever
    const auto begin = std::chrono::steady_clock::now();
    model.reset();
    late.is_gone = true;
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::duration<double>(20 * TestTimeScale()));
    EXPECT_EQ(late.calls, 0);
  }
}

class CModelAllreduce : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Workers, CModelAllreduce, testing::Values(1, 2, 3));

TEST_P(CModelAllreduce, AllProcessesDevicesAreSummedOrAveraged) {  // sm-vec-28
  const HandleBalance balance;
  const Watchdog watchdog(std::chrono::seconds(60));
  const CCluster cluster(1, GetParam());
  for (const char* scale : {"sum", "mean"}) {
    RunOnEachWorker(GetParam(), [&](int rank) {
      const CModel model("allreduce", cluster.worker(rank), scale);
      model.Init({{"scale", scale}});
      const int all = 2 * GetParam();
      const int sum = all * (all + 1) / 2;
      const auto expected = static_cast<float>(*scale == 's' ? sum : sum / GetParam());
      for (int round = 0; round < 3; ++round)
        EXPECT_EQ(model.Round(static_cast<float>(2 * rank + 1), static_cast<float>(2 * rank + 2)),
                  (Floats{expected, expected}));
    });
  }
}

}  // namespace
}  // namespace ps

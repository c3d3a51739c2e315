// Programs in mshadow-ps' shape, with tensors of their own.
#include "examples/mshadow/tensor.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "ps/mshadow_ps.h"
#include "tests/support/model_arrays.h"
#include "tests/support/watchdog.h"

namespace {

// What CreateModelUpdater makes: nothing, unless a test says otherwise.
std::function<mshadow::ps::IModelUpdater<float>*()> make_updater;

}  // namespace

namespace mshadow::ps {

template <>
IModelUpdater<float>* CreateModelUpdater() {
  return make_updater != nullptr ? make_updater() : nullptr;
}
template <>
IModelUpdater<double>* CreateModelUpdater() {
  return nullptr;
}

namespace {

using Floats = std::vector<float>;
using Model = ISharedModel<cpu, float>;

class MshadowPsTest : public testing::Test {
 protected:
  ~MshadowPsTest() override { make_updater = nullptr; }

  static std::unique_ptr<Model> Local() {
    return std::unique_ptr<Model>(CreateSharedModel<cpu, float>("local"));
  }
  // Code of each device, in a thread of its own.
  static void OnDevices(const std::vector<int>& devices, const std::function<void(int)>& code) {
    std::vector<std::thread> threads;
    for (const int device : devices) threads.emplace_back(code, device);
    for (std::thread& thread : threads) thread.join();
  }

  ::ps::Watchdog watchdog_;
};

// sm-vec-01 and 02, as the program local_sum does it: keys are rows of one tensor.
void SumRows(const std::vector<int>& devices, const Floats& expected) {
  const std::unique_ptr<Model> model(CreateSharedModel<cpu, float>("local"));
  model->Init(devices);
  std::map<int, Floats> sums;
  for (const int device : devices) sums[device];
  std::vector<std::thread> threads;
  for (const int device : devices) {
    threads.emplace_back([&, device] {
      TensorContainer<cpu, 2> data(Shape2(2, 3));
      data[0] = 1.0F;
      data[1] = static_cast<float>(device) + 1.0F;
      for (const int key : {0, 1}) {
        const auto row = data[static_cast<index_t>(key)];
        model->InitKey(row.shape_, key, device);
        model->Push(row, key, device);
        model->PullReq(row, key, device);
      }
      model->PullWait(0, device);
      model->PullWait(1, device);
      sums[device] = data.Values();
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const int device : devices) EXPECT_EQ(sums[device], expected) << "device " << device;
}

TEST_F(MshadowPsTest, RowsAreSummedOverThreeAndFourDevices) {
  SumRows({0, 1, 2}, {3, 3, 3, 6, 6, 6});
  SumRows({0, 1, 2, 3}, {4, 4, 4, 10, 10, 10});
}

TEST_F(MshadowPsTest, PaddedTensorsAreCopiedRowByRowAndPaddingIsLeftAlone) {
  const std::unique_ptr<Model> model = Local();
  model->Init({3, 7});
  OnDevices({3, 7}, [&](int device) {
    TensorContainer<cpu, 2> data(Shape2(2, 3));
    TensorContainer<cpu, 2> sum(Shape2(2, 3));
    ASSERT_GT(data.stride_, 3U);
    for (index_t row = 0; row < 2; ++row) {
      for (index_t i = 3; i < data.stride_; ++i) sum.dptr_[row * sum.stride_ + i] = -1;
    }
    model->InitKey(data.shape_, 0, device);
    for (const float factor : {1.0F, 10.0F}) {
      const auto d = static_cast<float>(device);
      data.SetValues({factor, factor * 2, factor * 3, d, d * 2, d * 3});
      model->Push(data, 0, device);
      data = 99.0F;  // a padded one is copied at once
      model->PullReq(sum, 0, device);
      model->PullWait(0, device);
      EXPECT_EQ(sum.Values(), (Floats{factor * 2, factor * 4, factor * 6, 10, 20, 30}));
    }
    for (index_t row = 0; row < 2; ++row) {
      for (index_t i = 3; i < sum.stride_; ++i) EXPECT_EQ(sum.dptr_[row * sum.stride_ + i], -1);
    }
  });
}

// sm-vec-07
TEST_F(MshadowPsTest, CallbacksOfBothKindsAreCalledOnceWhenTheResultIsThere) {
  struct Called {
    int times = 0;
    float seen = 0;
    const Tensor<cpu, 1>* data = nullptr;
    bool has_stream = false;
  };
  const std::unique_ptr<Model> model = Local();
  model->Init({3, 7});
  OnDevices({3, 7}, [&](int device) {
    TensorContainer<cpu, 1> data(Shape1(1));
    Called by_pointer;
    Called by_lambda;
    by_pointer.data = &data;
    model->InitKey(data.shape_, 0, device);
    data = 1.0F;
    model->Push(data, 0, device);
    model->PullReq(
        data, 0, device, 0,
        [](Stream<cpu>* stream, void* arg) {
          auto* const called = static_cast<Called*>(arg);
          ++called->times;
          called->seen = *called->data->dptr_;
          called->has_stream = stream != nullptr;
        },
        &by_pointer);
    model->PullWait(0, device);
    model->Push(data, 0, device);
    model->PullReq(data, 0, device, 0, [&](Stream<cpu>* stream) {
      ++by_lambda.times;
      by_lambda.seen = *data.dptr_;
      by_lambda.has_stream = stream != nullptr;
    });
    model->PullWait(0, device);
    EXPECT_EQ(by_pointer.times, 1);
    EXPECT_EQ(by_pointer.seen, 2);
    EXPECT_TRUE(by_pointer.has_stream);
    EXPECT_EQ(by_lambda.times, 1);
    EXPECT_EQ(by_lambda.seen, 4);
    EXPECT_TRUE(by_lambda.has_stream);
  });
}

TEST_F(MshadowPsTest, TensorsOfAnyDimensionsAndOtherElementTypesWork) {
  const std::unique_ptr<ISharedModel<cpu, double>> model(CreateSharedModel<cpu, double>("local"));
  model->Init();
  TensorContainer<cpu, 3, double> data(Shape<3>{{2, 2, 3}});
  data = 1.5;
  model->InitKey(data.shape_, 9, 0);
  model->Push(data, 9, 0, 5);
  TensorContainer<cpu, 2, double> flat(Shape2(4, 3), false);
  model->PullReq(flat, 9, 0);
  model->PullWait(9, 0);
  EXPECT_EQ(flat.Values(), std::vector<double>(12, 1.5));
}

// A program that does not know mshadow's names.
struct Vector {
  float* dptr_;
  std::size_t shape_[1];  // NOLINT(modernize-avoid-c-arrays): what the test is about
  std::size_t stride_;
  void* stream_;
};

TEST_F(MshadowPsTest, AnyTypeWithTheMembersIsATensor) {
  const std::unique_ptr<Model> model = Local();
  model->Init();
  Floats values{1, 2, 3};
  const Vector vector{values.data(), {3}, 3, nullptr};
  model->InitKey(vector.shape_, 0, 0);
  model->Push(vector, 0, 0);
  Floats pulled(3);
  model->PullReq(Vector{pulled.data(), {3}, 3, nullptr}, 0, 0).Wait();
  EXPECT_EQ(pulled, values);
}

TEST_F(MshadowPsTest, MistakesAreErrorsThatNameKeyAndDevice) {  // sm-vec-17, 18, 20 to 22
  using ::ps::ExpectRefused;
  using ::ps::StatusCode;
  const std::unique_ptr<Model> model = Local();
  TensorContainer<cpu, 1> data(Shape1(2));
  TensorContainer<cpu, 1> longer(Shape1(3));
  ExpectRefused(StatusCode::kInvalidArgument, {"sum", "gather"},
                [&] { model->SetParam("push_op[0]", "min"); });
  ExpectRefused(StatusCode::kInvalidArgument, {"one", "ndev"},
                [&] { model->SetParam("push_thread", "two"); });
  model->Init({3, 7});
  ExpectRefused(StatusCode::kFailedPrecondition, {"Init"}, [&] { model->Init({3, 7}); });
  model->PullWait(5, 3);
  model->InitKey(data.shape_, 0, 3);
  ExpectRefused(StatusCode::kInvalidArgument, {"key 0", "7"}, [&] { model->InitKey(longer.shape_, 0, 7); });
  ExpectRefused(StatusCode::kInvalidArgument, {"5"}, [&] { model->Push(data, 0, 5); });
  ExpectRefused(StatusCode::kNotFound, {"4"}, [&] { model->Push(data, 4, 3); });
  model->PullReq(data, 0, 3);
  ExpectRefused(StatusCode::kFailedPrecondition, {"key 0", "3"}, [&] { model->PullReq(data, 0, 3); });
  ExpectRefused(StatusCode::kInvalidArgument, {"lokal"}, [] { CreateSharedModel<cpu, float>("lokal"); });
}

// --- updaters ---

// w -= lr * gradient, of weights that it keeps itself; what it was told.
struct Told {
  std::map<std::string, std::string> params;
  int rank = -1;
  int argc = -1;
  int num_inits = 0;
};

class Descent : public IModelUpdater<float> {
 public:
  explicit Descent(Told* told) : told_(told) {}
  void SetParam(const char* name, const char* val) override {
    told_->params[name] = val;
    if (name == std::string("lr")) lr_ = static_cast<float>(std::atof(val));
  }
  void InitUpdater(int rank, int argc, char** /*argv*/) override {
    told_->rank = rank;
    told_->argc = argc;
  }

 protected:
  void InitModel_(int key, Tensor<cpu, 1> data) override {
    ++told_->num_inits;
    data = 10.0F;
    weights_[key] = data;
  }
  void Update_(int key, Tensor<cpu, 1> gradient) override {
    for (index_t i = 0; i < gradient.size(0); ++i) {
      gradient.dptr_[i] *= lr_;  // some programs scale it where it is
      weights_[key].dptr_[i] -= gradient.dptr_[i];
    }
  }

 private:
  Told* const told_;
  float lr_ = 0;
  std::map<int, Tensor<cpu, 1>> weights_;
};

class MshadowUpdaterTest : public MshadowPsTest {
 protected:
  void MakeDescent() {
    make_updater = [this] { return new Descent(&told_); };
  }
  // A round of key 0 by the devices 3 and 7, and what device 3 gets.
  static float Round(Model* model, float three, float seven) {
    TensorContainer<cpu, 1> of_three(Shape1(1));
    TensorContainer<cpu, 1> of_seven(Shape1(1));
    of_three = three;
    of_seven = seven;
    model->InitKey(of_three.shape_, 0, 3);
    model->InitKey(of_seven.shape_, 0, 7);
    model->Push(of_three, 0, 3);
    model->Push(of_seven, 0, 7);
    TensorContainer<cpu, 1> pulled(Shape1(1));
    TensorContainer<cpu, 1> also_pulled(Shape1(1));
    model->PullReq(pulled, 0, 3);
    model->PullReq(also_pulled, 0, 7);
    model->PullWait(0, 3);
    model->PullWait(0, 7);
    EXPECT_EQ(pulled.Values(), also_pulled.Values());
    EXPECT_EQ(of_three.Values(), Floats{three}) << "the updater wrote where the contribution lies";
    return pulled.Values()[0];
  }

  Told told_;
};

TEST_F(MshadowUpdaterTest, ItsWeightsArePulledAndItKnowsTheParameters) {  // sm-vec-10, 11, 12
  MakeDescent();
  const std::unique_ptr<Model> model = Local();
  model->SetParam("lr", "0.25");
  model->SetParam("update_on_server", "1");
  model->SetParam("msg:x", "1");
  model->Init({3, 7});
  EXPECT_EQ(Round(model.get(), 1, 2), 9.25F);
  EXPECT_EQ(Round(model.get(), 1, 2), 8.5F);
  EXPECT_EQ(told_.num_inits, 1);
  EXPECT_EQ(told_.params, (std::map<std::string, std::string>{{"lr", "0.25"}, {"update_on_server", "1"}}));
  EXPECT_EQ(told_.rank, 0);
  EXPECT_EQ(told_.argc, 0);
}

TEST_F(MshadowUpdaterTest, CheckWeightComparesWithIt) {  // sm-vec-14
  MakeDescent();
  const std::unique_ptr<Model> model = Local();
  model->SetParam("lr", "0.25");
  model->SetParam("test_on_server", "1");
  model->Init({3, 7});
  EXPECT_EQ(Round(model.get(), 1, 2), 3);
  TensorContainer<cpu, 1> weight(Shape1(1));
  weight = 9.25F;
  EXPECT_TRUE(model->CheckWeight(weight, 0, 3));
  weight = 9.5F;
  testing::internal::CaptureStderr();
  EXPECT_FALSE(model->CheckWeight(weight, 0, 3));
  EXPECT_NE(testing::internal::GetCapturedStderr().find("PSLocal:key=0,dev=3: err="), std::string::npos);
  model->SetWeight_(weight, 0, 3);
  EXPECT_TRUE(model->CheckWeight(weight, 0, 7));
}

TEST_F(MshadowUpdaterTest, IsLeftOutWhereItIsNotAskedFor) {
  MakeDescent();
  const std::unique_ptr<Model> model = Local();
  model->SetParam("update_on_server", "1");
  model->SetParam("update_on_server", "0");
  model->Init({3, 7});
  EXPECT_EQ(Round(model.get(), 1, 2), 3);
  EXPECT_EQ(told_.num_inits, 0);
}

TEST_F(MshadowUpdaterTest, OneThatIsMissingIsAnError) {
  const std::unique_ptr<Model> model = Local();
  model->SetParam("update_on_server", "1");
  EXPECT_THROW(model->Init({3, 7}), ::ps::Error);
}

// With pointers, and an Update that throws.
class Refusing : public IModelUpdater<float> {
 public:
  void Update(int key, float* /*dptr*/, std::size_t size) override {
    throw std::runtime_error("no " + std::to_string(size) + " numbers for key " + std::to_string(key));
  }
};

TEST_F(MshadowUpdaterTest, WhatItThrowsIsTheErrorOfThePull) {
  make_updater = [] { return new Refusing(); };
  const std::unique_ptr<Model> model = Local();
  model->SetParam("update_on_server", "1");
  model->Init();
  TensorContainer<cpu, 1> data(Shape1(2));
  model->InitKey(data.shape_, 4, 0);
  model->Push(data, 4, 0);
  model->PullReq(data, 4, 0);
  ::ps::ExpectRefused(::ps::StatusCode::kInternal, {"no 2 numbers for key 4"},
                      [&] { model->PullWait(4, 0); });
}

// --- streams ---

struct Accelerator {
  static constexpr bool kDevCPU = false;
};

TEST_F(MshadowPsTest, ATensorOfADeviceWithoutAStreamIsRefusedByName) {
  setenv("PS_FORCE_STREAM", "1", 1);
  const std::unique_ptr<ISharedModel<Accelerator, float>> model(
      CreateSharedModel<Accelerator, float>("local"));
  unsetenv("PS_FORCE_STREAM");
  model->Init({1});
  Floats values(3);
  const Vector vector{values.data(), {3}, 3, nullptr};
  model->InitKey(vector.shape_, 6, 1);
  ::ps::ExpectRefused(::ps::StatusCode::kInvalidArgument, {"key 6, device 1", "cuda:1", "PS_FORCE_STREAM"},
                      [&] { model->PullReq(vector, 6, 1); });
}

}  // namespace
}  // namespace mshadow::ps

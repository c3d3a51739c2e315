#include "ps/trainer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tests/support/kv_world.h"

namespace ps {
namespace {

constexpr std::int64_t kSize = 6;

std::vector<float> Read(const Tensor& tensor) {
  std::vector<float> values(static_cast<std::size_t>(tensor.view().size()));
  tensor.CopyTo(values.data());
  return values;
}

// Two parameters on some devices, weights 1, gradients as set.
struct Model {
  explicit Model(int devices) {
    for (const char* name : {"weight", "bias"}) {
      TrainerParameter parameter;
      parameter.name = name;
      for (int device = 0; device < devices; ++device) {
        parameter.weights.push_back(Tensor::Full({kSize}, 1, DType::kF32, DeviceId::Cpu(device)));
        parameter.gradients.push_back(Tensor::Full({kSize}, 0, DType::kF32, DeviceId::Cpu(device)));
      }
      parameters.push_back(parameter);
    }
  }
  void SetGradients(float value) {
    const std::vector<float> values(kSize, value);
    for (TrainerParameter& parameter : parameters) {
      for (Tensor& gradient : parameter.gradients) gradient.CopyFrom(values.data());
    }
  }
  void ExpectWeights(float value) const {
    for (const TrainerParameter& parameter : parameters) {
      for (const Tensor& weight : parameter.weights)
        for (const float element : Read(weight)) EXPECT_FLOAT_EQ(element, value) << parameter.name;
    }
  }

  std::vector<TrainerParameter> parameters;
};

class TrainerTest : public testing::TestWithParam<bool> {
 protected:
  TrainerOptions Options(const std::string& type) const {
    TrainerOptions options;
    options.kvstore = type;
    options.update_on_kvstore = GetParam();
    return options;
  }
};
INSTANTIATE_TEST_SUITE_P(UpdateOnKVStore, TrainerTest, testing::Bool());

TEST_P(TrainerTest, StepsByTheMeanGradientOfTheBatch) {
  for (const char* type : {"local", "device"}) {
    Model model(2);
    Trainer trainer(model.parameters, "sgd lr=1", Options(type));
    EXPECT_EQ(trainer.update_on_kvstore(), GetParam());
    model.SetGradients(2);
    trainer.Step(4);  // both devices: 1 - (2 + 2) / 4
    model.ExpectWeights(0);
    model.SetGradients(1);
    trainer.Step(8);  // another size
    model.ExpectWeights(-.25F);
  }
}

TEST_P(TrainerTest, TheRateCanBeChanged) {
  Model model(2);
  Trainer trainer(model.parameters, "sgd lr=1", Options("device"));
  EXPECT_EQ(trainer.learning_rate(), 1);
  trainer.SetLearningRate(.5);
  EXPECT_EQ(trainer.learning_rate(), .5);
  model.SetGradients(1);
  trainer.Step(2);
  model.ExpectWeights(.5);
}

TEST_P(TrainerTest, ParametersHaveTheirOwnMultiples) {
  Model model(2);
  model.parameters[1].lr_mult = 0;
  Trainer trainer(model.parameters, "sgd lr=1", Options("device"));
  model.SetGradients(1);
  trainer.Step(2);
  EXPECT_FLOAT_EQ(Read(model.parameters[0].weights[0])[0], 0);
  EXPECT_FLOAT_EQ(Read(model.parameters[1].weights[0])[0], 1);
}

TEST_P(TrainerTest, StatesGoOnWhereTheyWereSaved) {
  const char* const folder = std::getenv("TMPDIR");
  const std::string uri =
      std::string(folder == nullptr ? "/tmp" : folder) + "/states" + (GetParam() ? "1" : "0");
  Model unbroken(2);
  Trainer first(unbroken.parameters, "adam lr=.1", Options("device"));
  for (int i = 0; i < 3; ++i) {
    unbroken.SetGradients(static_cast<float>(i) - .5F);
    first.Step(2);
  }
  first.SaveStates(uri);
  Model resumed(2);
  for (std::size_t i = 0; i < 2; ++i) {
    const std::vector<float> values = Read(unbroken.parameters[i].weights[0]);
    for (Tensor& weight : resumed.parameters[i].weights) weight.CopyFrom(values.data());
  }
  Trainer second(resumed.parameters, "adam lr=.7", Options("device"));
  second.LoadStates(uri);
  for (Model* model : {&unbroken, &resumed}) model->SetGradients(.25F);
  first.Step(2);
  second.Step(2);
  for (std::size_t i = 0; i < 2; ++i)
    EXPECT_EQ(Read(unbroken.parameters[i].weights[1]), Read(resumed.parameters[i].weights[1]));
}

TEST_P(TrainerTest, WorkersTogetherAreAsOneWithTheSummedBatch) {
  KVWorld world("dist_sync", 2, 3);
  world.Run([&](int worker, KVStore& store) {
    Model model(2);
    if (worker != 0) model.SetGradients(9);
    TrainerOptions options = Options("");
    options.store = std::shared_ptr<KVStore>(&store, [](KVStore*) {});
    Trainer trainer(model.parameters, "sgd lr=1", options);
    model.SetGradients(static_cast<float>(worker + 1));
    trainer.Step(12);  // 1 - 2 (1 + 2 + 3) / 12
    model.ExpectWeights(0);
  });
}

TEST_P(TrainerTest, GradientsAreClippedToTheirNorm) {
  Model model(1);
  TrainerOptions options = Options("local");
  options.store = std::shared_ptr<KVStore>(KVStore::Create("local"));
  options.clip_global_norm = 1;
  Trainer trainer(model.parameters, "sgd lr=1", options);
  model.SetGradients(3);  // of norm 3 sqrt(12)
  trainer.Step(1);
  model.ExpectWeights(1 - 1 / std::sqrt(12.0F));
}

TEST(TrainerCallsTest, TheNormOfASumIsThatOfOneOfItsCopies) {
  Model model(2);
  TrainerOptions options;
  options.update_on_kvstore = false;
  options.clip_global_norm = 1;
  Trainer trainer(model.parameters, "sgd lr=1", options);
  model.SetGradients(3);  // the sum is 6, of norm 6 sqrt(12)
  trainer.Step(1);
  model.ExpectWeights(1 - 1 / std::sqrt(12.0F));
  EXPECT_EQ(Read(model.parameters[0].gradients[0]), Read(model.parameters[0].gradients[1]));
}

TEST_P(TrainerTest, LoadedStatesAreForTheOwnBatches) {
  const char* const folder = std::getenv("TMPDIR");
  const std::string uri =
      std::string(folder == nullptr ? "/tmp" : folder) + "/scaled" + (GetParam() ? "1" : "0");
  Model saved(2);
  Trainer first(saved.parameters, "sgd lr=1", Options("device"));
  saved.SetGradients(0);
  first.Step(100);
  first.SaveStates(uri);
  Model model(2);
  Trainer second(model.parameters, "sgd lr=1", Options("device"));
  model.SetGradients(0);
  second.Step(4);
  second.LoadStates(uri);
  model.SetGradients(1);
  second.Step(4);
  model.ExpectWeights(.5);
}

TEST(TrainerWithoutStoreTest, OneDeviceUpdatesItself) {
  Model model(1);
  Trainer trainer(model.parameters, "sgd lr=1");
  EXPECT_EQ(trainer.store(), nullptr);
  model.SetGradients(1);
  trainer.Step(2);
  model.ExpectWeights(.5);
}

TEST(TrainerCallsTest, WhereTheStoreUpdatesTheHalvesAreRefused) {
  Model model(2);
  Trainer trainer(model.parameters, "sgd lr=1");
  EXPECT_THROW(trainer.AllreduceGrads(), Error);
  EXPECT_THROW(trainer.Update(1), Error);
}

TEST(TrainerCallsTest, HalvesCanBeCalledApart) {
  Model model(2);
  TrainerOptions options;
  options.update_on_kvstore = false;
  Trainer trainer(model.parameters, "sgd lr=1", options);
  model.SetGradients(1);
  trainer.AllreduceGrads();
  EXPECT_EQ(Read(model.parameters[0].gradients[1]), std::vector<float>(kSize, 2));
  trainer.Update(4);
  model.ExpectWeights(.5);
}

TEST(TrainerCallsTest, RowsOfGradientsLieWhereTheWeightsDo) {
  const DeviceId device = DeviceId::Cpu(1);
  TrainerParameter parameter;
  parameter.name = "embedding";
  parameter.weights = {Tensor::Full({3, 2}, 1, DType::kF32, device)};
  parameter.gradients = {Tensor::RowSparse({3, 2}, Tensor::Full({1}, 2, DType::kI64, device),
                                           Tensor::Full({1, 2}, .5, DType::kF32, device))};
  TrainerOptions options;
  options.store = std::shared_ptr<KVStore>(KVStore::Create("device"));
  options.update_on_kvstore = true;
  Trainer trainer({parameter}, "sgd lr=1", options);
  trainer.Step(1);
  EXPECT_EQ(Read(parameter.weights[0]), (std::vector<float>{1, 1, 1, 1, .5, .5}));
}

TEST(TrainerCallsTest, WrongOnesAreRefusedByName) {
  Model model(2);
  Trainer trainer(model.parameters, "sgd lr=1");
  EXPECT_THROW(trainer.Step(0), Error);
  EXPECT_THROW(trainer.Step(std::nan("")), Error);
  Model twice(2);
  twice.parameters[1].name = "weight";
  EXPECT_THROW(Trainer(twice.parameters, "sgd"), Error);
  for (const char* text : {"sgd lr=fast", "sgd lr=1 rescale_grad=", "sgd lr=1e999"})
    EXPECT_THROW(Trainer(model.parameters, text), Error) << text;
  Model uneven(2);
  uneven.parameters[1].gradients.pop_back();
  try {
    Trainer(uneven.parameters, "sgd");
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("'bias'"), std::string::npos) << error.what();
  }
  TrainerOptions async;
  async.kvstore = "dist_async";
  async.update_on_kvstore = false;
  EXPECT_THROW(Trainer(model.parameters, "sgd", async), Error);
}

}  // namespace
}  // namespace ps

// The network of examples/mlp_shared, and its training in one process.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "examples/mlp_shared/network.h"
#include "examples/mlp_shared/options.h"
#include "examples/mlp_shared/shared_exchange.h"
#include "examples/mlp_shared/step_times.h"
#include "examples/mlp_shared/training.h"
#include "examples/mshadow/tensor.h"
#include "ps/mshadow_ps.h"
#include "tests/support/watchdog.h"

template <>
mshadow::ps::IModelUpdater<float>* mshadow::ps::CreateModelUpdater() {
  return nullptr;
}

namespace mlp {
namespace {

// Pictures of 12 pixels, of which each class has inked one more than the others.
Digits MakeDigits(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  Digits digits;
  digits.num_pixels = 12;
  for (std::size_t i = 0; i < count; ++i) {
    digits.labels.push_back(static_cast<std::uint8_t>(random() % kClasses));
    for (std::size_t pixel = 0; pixel < digits.num_pixels; ++pixel)
      digits.pixels.push_back(
          static_cast<std::uint8_t>(random() % 60 + (pixel == digits.labels.back() ? 195 : 0)));
  }
  return digits;
}

double LossOf(const Arrays& weights, const Digits& digits) {
  double loss = 0;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    std::vector<double> outputs(weights[kOutputBias].begin(), weights[kOutputBias].end());
    for (std::size_t unit = 0; unit < kHidden; ++unit) {
      double input = static_cast<double>(weights[kHiddenBias][unit]);
      for (std::size_t pixel = 0; pixel < digits.num_pixels; ++pixel)
        input += static_cast<double>(weights[kHiddenWeights][pixel * kHidden + unit]) *
                 digits.picture(i)[pixel] / 255;
      for (std::size_t c = 0; c < kClasses; ++c)
        outputs[c] +=
            static_cast<double>(weights[kOutputWeights][unit * kClasses + c]) / (1 + std::exp(-input));
    }
    double sum = 0;
    for (const double output : outputs) sum += std::exp(output);
    loss += std::log(sum) - outputs[digits.labels[i]];
  }
  return loss;
}

TEST(MlpNetworkTest, GradientsAreThoseOfTheLoss) {
  const Digits digits = MakeDigits(16, 1);
  Arrays weights = FirstWeights(digits.num_pixels);
  for (float& weight : weights[kOutputWeights]) weight *= 50;
  Network network(weights);
  network.ForwardHidden(digits, {{0, 1, 2, 3, 4, 5, 6, 7}, {8, 9, 10, 11, 12, 13, 14, 15}});
  network.ForwardOutput();
  network.BackwardOutput();
  network.BackwardHidden();
  constexpr float kStep = 1e-2F;
  std::mt19937 random(2);
  for (std::size_t key = 0; key < kNumKeys; ++key) {
    for (int trial = 0; trial < 20; ++trial) {
      const std::size_t place = random() % weights[key].size();
      Arrays moved = weights;
      moved[key][place] += kStep;
      const double above = LossOf(moved, digits);
      moved[key][place] -= 2 * kStep;
      const double measured = (above - LossOf(moved, digits)) / (2 * static_cast<double>(kStep));
      EXPECT_NEAR(static_cast<double>(network.gradient(static_cast<int>(key))[place]), measured,
                  2e-3 + 0.01 * std::fabs(measured))
          << "array " << key << " at " << place;
    }
  }
}

// By the same calls in mshadow-ps' shape.
class MshadowExchange final : public Exchange {
 public:
  explicit MshadowExchange(int num_devices)
      : model_(mshadow::ps::CreateSharedModel<mshadow::cpu, float>("local")) {
    std::vector<int> devices;
    for (int device = 0; device < num_devices; ++device) devices.push_back(device);
    model_->Init(devices);
  }
  void InitKey(int key, std::size_t size, int device) override {
    sizes_[key] = mshadow::Shape1(static_cast<mshadow::index_t>(size));
    model_->InitKey(sizes_[key], key, device);
  }
  void Begin(int key, float* gradient, int device, int priority, std::function<void()> then) override {
    mshadow::Tensor<mshadow::cpu, 1> tensor;
    tensor.dptr_ = gradient;
    tensor.shape_ = sizes_.at(key);
    tensor.stride_ = tensor.shape_[0];
    model_->Push(tensor, key, device, priority);
    model_->PullReq(tensor, key, device, priority,
                    [then = std::move(then)](mshadow::Stream<mshadow::cpu>*) { then(); });
  }
  void Wait(int key, int device) override { model_->PullWait(key, device); }
  void Fail(int device, const std::string& why) override { model_->shared_model()->Fail(device, why); }

 private:
  std::map<int, mshadow::Shape<1>> sizes_;  // by key; made before the devices' threads
  const std::unique_ptr<mshadow::ps::ISharedModel<mshadow::cpu, float>> model_;
};

struct Outcome {
  std::vector<double> errors;  // by round
  Arrays weights;
};

class MlpTrainingTest : public testing::Test {
 protected:
  Outcome Train(const TrainingOptions& options, Exchange* exchange) {
    Training training(options, train_, test_, exchange);
    Outcome outcome;
    for (unsigned round = 1; round <= 10; ++round) {
      outcome.errors.push_back(training.RunRound(round).test_error);
      EXPECT_EQ(outcome.errors.size(), round);
    }
    outcome.weights = training.weights();
    return outcome;
  }
  static TrainingOptions Of(int devices) {
    TrainingOptions options;
    options.devices = devices;
    options.rate = 2;
    return options;
  }

  ps::Watchdog watchdog_;
  const Digits train_ = MakeDigits(3000, 1);
  const Digits test_ = MakeDigits(500, 2);
};

TEST_F(MlpTrainingTest, AnyNumberOfDevicesHasTheSameErrorsAndTheSameBits) {  // sm-vec-30
  SharedExchange one("local", 1);
  const Outcome alone = Train(Of(1), &one);
  EXPECT_GT(alone.errors.front(), alone.errors.back());
  EXPECT_LT(alone.errors.back(), 0.6);
  for (const int devices : {2, 4, 8}) {
    SharedExchange several("local", devices);
    const Outcome shared = Train(Of(devices), &several);
    EXPECT_EQ(shared.errors, alone.errors) << devices << " devices";
    EXPECT_EQ(shared.weights, alone.weights) << devices << " devices";
  }
  for (const int devices : {1, 2, 4}) {
    MshadowExchange ported(devices);
    const Outcome shared = Train(Of(devices), &ported);
    EXPECT_EQ(shared.errors, alone.errors) << devices << " devices in mshadow-ps' shape";
    EXPECT_EQ(shared.weights, alone.weights) << devices << " devices in mshadow-ps' shape";
  }
}

TEST_F(MlpTrainingTest, WhetherGradientsTravelEarlyOrLateChangesNothing) {
  SharedExchange early("local", 2);
  SharedExchange late("local", 2);
  TrainingOptions options = Of(2);
  const Outcome with_overlap = Train(options, &early);
  options.overlaps = false;
  EXPECT_EQ(Train(options, &late).weights, with_overlap.weights);
}

TEST_F(MlpTrainingTest, WhatDoesNotFitIsRefused) {
  SharedExchange exchange("local", 3);
  EXPECT_THROW(Training(Of(3), train_, test_, &exchange), std::invalid_argument);
  SharedExchange one("local", 1);
  TrainingOptions options = Of(1);
  options.batch = 100;
  EXPECT_THROW(Training(options, train_, test_, &one), std::invalid_argument);
  options.batch = 8000;
  EXPECT_THROW(Training(options, train_, test_, &one), std::invalid_argument);
}

TEST(MlpStepTimesTest, StepsAreMeasuredWithAndWithoutOverlap) {
  const ps::Watchdog watchdog;
  LayersOptions options;
  options.weights = 1000;
  options.compute_ms = 4;
  options.steps = 5;
  const StepTimes times =
      MeasureSteps(options, [](int devices) { return std::make_unique<SharedExchange>("local", devices); });
  EXPECT_GT(times.synchronisation, 0);
  EXPECT_EQ(times.computation, 4e-3);
  EXPECT_GE(times.apart, 4e-3);
  EXPECT_GE(times.together, 4e-3);
  EXPECT_GE(times.ratio, 1);
}

TEST(MlpOptionsTest, AreReadFromTheCommandLine) {
  const auto parse = [](std::vector<const char*> words, Options* options) {
    words.insert(words.begin(), "mlp_shared");
    int exit_code = 0;
    testing::internal::CaptureStderr();
    ParseOptions(static_cast<int>(words.size()), words.data(), options, &exit_code);
    testing::internal::GetCapturedStderr();
    return exit_code;
  };
  Options options;
  EXPECT_EQ(parse({"--type", "dist", "--devices", "2", "--overlap", "off", "--rounds", "3"}, &options), 0);
  EXPECT_EQ(options.type, "dist");
  EXPECT_EQ(options.training.devices, 2);
  EXPECT_FALSE(options.training.overlaps);
  EXPECT_FALSE(options.measures_steps);
  EXPECT_EQ(options.rounds, 3u);
  EXPECT_EQ(parse({"--layers", "3", "--weights", "10", "--devices", "4"}, &options), 0);
  EXPECT_TRUE(options.measures_steps);
  EXPECT_EQ(options.layers.devices, 4);
  EXPECT_EQ(parse({"--overlap", "maybe"}, &options), 2);
  EXPECT_EQ(parse({"--devices", "0"}, &options), 2);
}

}  // namespace
}  // namespace mlp

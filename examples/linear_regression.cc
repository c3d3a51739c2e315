// Linear regression through a KVStore: data is made from weights that are known, and training has to find
// them again. Nothing but the type of the store is different between alone and distributed:
//
//   build/examples/linear_regression --kvstore local
//   tracker/local.sh 2 2 build/examples/linear_regression --kvstore dist_sync

#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "ps/kvstore.h"
#include "ps/ps.h"
#include "ps/tensor.h"
#include "ps/trainer.h"

namespace {

constexpr std::size_t kFeatures = 4;
constexpr std::size_t kExamples = 2000;
constexpr std::size_t kBatch = 100;  // of all workers together
constexpr int kEpochs = 50;
constexpr double kTolerance = 1e-2;

using Features = std::array<float, kFeatures>;
constexpr Features kTrueWeights = {2.0F, -3.4F, 0.5F, 1.7F};
constexpr float kTrueBias = 4.2F;

struct Data {
  std::vector<Features> x;
  std::vector<float> y;
};

// The same in every process: y = x . weights + bias + noise.
Data MakeData() {
  std::mt19937 random(7);
  std::normal_distribution<float> normal;
  Data data{std::vector<Features>(kExamples), std::vector<float>(kExamples, kTrueBias)};
  for (std::size_t i = 0; i < kExamples; ++i) {
    for (std::size_t f = 0; f < kFeatures; ++f) {
      data.x[i][f] = normal(random);
      data.y[i] += kTrueWeights[f] * data.x[i][f];
    }
    data.y[i] += 0.01F * normal(random);
  }
  return data;
}

// The model, and the gradient of half the squared error by each of its parts.
struct Model {
  Features weights{};
  float bias = 0;
};

// Sums over the examples begin, begin + step, ... before `end`.
Model GradientOf(const Model& model, const Data& data, std::size_t begin, std::size_t end, std::size_t step) {
  Model gradient;
  for (std::size_t i = begin; i < end; i += step) {
    float error = model.bias - data.y[i];
    for (std::size_t f = 0; f < kFeatures; ++f) error += model.weights[f] * data.x[i][f];
    for (std::size_t f = 0; f < kFeatures; ++f) gradient.weights[f] += error * data.x[i][f];
    gradient.bias += error;
  }
  return gradient;
}

// How far the model is from the truth.
double DistanceOf(const Model& model) {
  double sum = std::pow(static_cast<double>(model.bias - kTrueBias), 2);
  for (std::size_t f = 0; f < kFeatures; ++f)
    sum += std::pow(static_cast<double>(model.weights[f] - kTrueWeights[f]), 2);
  return std::sqrt(sum);
}

void Report(const Model& model, double seconds) {
  std::printf("weights:");
  for (const float weight : model.weights) std::printf(" %.4f", static_cast<double>(weight));
  std::printf("  bias: %.4f  distance from the truth: %.5f  %.0f samples/s\n",
              static_cast<double>(model.bias), DistanceOf(model), kEpochs * kExamples / seconds);
}

// The exit code.
int Train(const std::string& kvstore) {
  const Data data = MakeData();
  const ps::Tensor weights = ps::Tensor::Full({kFeatures}, 0);
  const ps::Tensor bias = ps::Tensor::Full({1}, 0);
  ps::Tensor weights_gradient = ps::Tensor::Empty({kFeatures});
  ps::Tensor bias_gradient = ps::Tensor::Empty({1});

  const std::shared_ptr<ps::KVStore> store = ps::KVStore::Create(kvstore);
  ps::TrainerOptions options;
  options.store = store;
  ps::Trainer trainer({{"weights", {weights}, {weights_gradient}}, {"bias", {bias}, {bias_gradient}}},
                      "sgd lr=0.005 momentum=0.9", options);

  const auto num_workers = static_cast<std::size_t>(store->num_workers());
  const auto rank = static_cast<std::size_t>(store->rank());
  const auto start = std::chrono::steady_clock::now();
  Model model;
  for (int epoch = 0; epoch < kEpochs; ++epoch) {
    for (std::size_t begin = 0; begin < kExamples; begin += kBatch) {
      weights.CopyTo(model.weights.data());
      bias.CopyTo(&model.bias);
      // Every worker takes its share of the batch; the store adds their gradients up.
      const Model gradient = GradientOf(model, data, begin + rank, begin + kBatch, num_workers);
      weights_gradient.CopyFrom(gradient.weights.data());
      bias_gradient.CopyFrom(&gradient.bias);
      trainer.Step(kBatch);
    }
  }
  store->Barrier();  // where workers do not wait for each other, the last gradients of all are in now
  static_cast<void>(store->Pull({"weights", "bias"}, {weights, bias}));
  weights.CopyTo(model.weights.data());
  bias.CopyTo(&model.bias);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  if (rank == 0) Report(model, taken.count());
  if (DistanceOf(model) <= kTolerance) return 0;
  std::fprintf(stderr, "linear_regression: worker %zu is further than %g from the truth\n", rank, kTolerance);
  return 1;
}

int Run(const std::string& kvstore) {
  if (ps::IsDistributedType(kvstore) && !ps::IsWorker()) {
    ps::RunServer();
    return 0;
  }
  return Train(kvstore);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3 || std::string(argv[1]) != "--kvstore") {
    std::fprintf(stderr, "usage: linear_regression --kvstore TYPE   (local, device, dist_sync, ...)\n");
    return 2;
  }
  try {
    return Run(argv[2]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "linear_regression: %s\n", error.what());
    return 1;
  }
}

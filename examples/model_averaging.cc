// Model averaging in Multiverso's shape: workers train a model of their own each, and from time to time all
// take the mean of them. There are no tables and no servers.
//
//   build/examples/model_averaging                          alone
//   tracker/local.sh 0 4 build/examples/model_averaging     four workers
//
// -rounds=N -steps=N -learning_rate=X. Every process checks that all have the same model, and that it is
// good.
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <random>
#include <vector>

#include "ps/multiverso.h"

MV_DEFINE_int(rounds, 20, "means that are taken");
MV_DEFINE_int(steps, 50, "examples that each worker learns from between two of them");
MV_DEFINE_double(learning_rate, 0.3, "");

namespace {

using namespace multiverso;  // NOLINT: as such programs do

constexpr std::size_t kFeatures = 16;
constexpr double kLeastAccuracy = 0.93;
using Vector = std::vector<float>;

struct Example {
  Vector x = Vector(kFeatures);
  float label = 0;
};

// Which of two classes it is depends on the sign of a sum that the model has to find out.
Example Draw(std::mt19937* random) {
  std::normal_distribution<float> normal;
  Example example;
  float sum = 0;
  for (std::size_t i = 0; i < kFeatures; ++i) {
    example.x[i] = normal(*random);
    sum += (static_cast<float>(i) - 7.5F) * example.x[i];
  }
  example.label = sum > 0 ? 1 : 0;
  return example;
}

float Margin(const Vector& weights, const Vector& x) {
  float sum = 0;
  for (std::size_t i = 0; i < kFeatures; ++i) sum += weights[i] * x[i];
  return sum;
}

// Logistic regression on examples that nobody else has.
void TrainAlone(Vector* weights, std::mt19937* random) {
  const auto rate = static_cast<float>(MV_CONFIG_learning_rate);
  for (int step = 0; step < MV_CONFIG_steps; ++step) {
    const Example example = Draw(random);
    const float error = example.label - 1 / (1 + std::exp(-Margin(*weights, example.x)));
    for (std::size_t i = 0; i < kFeatures; ++i) (*weights)[i] += rate * error * example.x[i];
  }
}

void TakeMean(Vector* weights) {
  MV_Aggregate(weights->data(), static_cast<int>(weights->size()));
  for (float& weight : *weights) weight /= static_cast<float>(MV_NumWorkers());
}

double Accuracy(const Vector& weights) {
  constexpr int kExamples = 5000;
  std::mt19937 random(12345);  // the same ones for all, and for nobody to learn from
  int num_right = 0;
  for (int i = 0; i < kExamples; ++i) {
    const Example example = Draw(&random);
    if ((Margin(weights, example.x) > 0) == (example.label > 0)) ++num_right;
  }
  return static_cast<double>(num_right) / kExamples;
}

// Bit by bit: a sum of all that is as often its own multiple.
bool IsTheSameEverywhere(const Vector& weights) {
  std::vector<double> sums(weights.begin(), weights.end());
  MV_Aggregate(sums.data(), static_cast<int>(sums.size()));
  bool is_same = true;
  for (std::size_t i = 0; i < sums.size(); ++i)
    is_same = is_same && sums[i] == static_cast<double>(weights[i]) * MV_NumWorkers();
  return is_same;
}

int Run(int argc, char* argv[]) {
  MV_SetFlag("ma", true);
  MV_Init(&argc, argv);
  std::mt19937 random(static_cast<unsigned>(MV_WorkerId()));
  Vector weights(kFeatures);
  for (int round = 0; round < MV_CONFIG_rounds; ++round) {
    TrainAlone(&weights, &random);
    TakeMean(&weights);
  }
  const double accuracy = Accuracy(weights);
  const bool is_same = IsTheSameEverywhere(weights);
  std::printf("worker %d of %d: accuracy %.2f %%, %s\n", MV_WorkerId(), MV_NumWorkers(), 100 * accuracy,
              is_same ? "the same model everywhere" : "other models elsewhere");
  MV_ShutDown();
  return is_same && accuracy >= kLeastAccuracy ? 0 : 1;
}

}  // namespace

int main(int argc, char* argv[]) {
  try {
    return Run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "model_averaging: %s\n", error.what());
    return 1;
  }
}

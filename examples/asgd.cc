// Asynchronous SGD in Multiverso's shape: workers learn a linear model together, each at its own pace.
//
//   build/examples/asgd                             alone: one process is worker and server
//   tracker/local.sh --joint 4 build/examples/asgd  four such processes
//   tracker/local.sh 2 3 build/examples/asgd        servers and workers apart
//
// -steps=N -learning_rate=X -batch=N. Every process checks that the model was found.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <memory>
#include <random>
#include <vector>

#include "ps/multiverso.h"

MV_DEFINE_int(steps, 400, "batches of each worker");
MV_DEFINE_int(batch, 16, "examples of a batch");
MV_DEFINE_double(learning_rate, 0.1, "of all workers together");

namespace {

using namespace multiverso;  // NOLINT: as such programs do

constexpr std::size_t kFeatures = 16;
using Vector = std::vector<float>;

// What the workers have to find out.
float Truth(std::size_t feature) { return static_cast<float>(feature) - 7.5F; }

// The gradient of half the squared error over a batch of examples, which nobody else has.
Vector Gradient(const Vector& weights, std::mt19937* random) {
  std::normal_distribution<float> normal;
  Vector gradient(kFeatures);
  Vector x(kFeatures);
  for (int example = 0; example < MV_CONFIG_batch; ++example) {
    float error = 0;
    for (std::size_t i = 0; i < kFeatures; ++i) {
      x[i] = normal(*random);
      error += (weights[i] - Truth(i)) * x[i];
    }
    for (std::size_t i = 0; i < kFeatures; ++i)
      gradient[i] += error * x[i] / static_cast<float>(MV_CONFIG_batch);
  }
  return gradient;
}

// Steps are rate times gradient; the rule is sgd, which subtracts them. Nobody waits for an Add, and the next
// weights come while the gradient of these is computed.
void Train(ArrayWorker<float>* table) {
  std::mt19937 random(static_cast<unsigned>(MV_WorkerId()));
  const auto rate = static_cast<float>(MV_CONFIG_learning_rate / MV_NumWorkers());
  Vector weights(kFeatures);
  Vector next(kFeatures);
  table->Get(weights.data(), kFeatures);
  for (int step = 0; step < MV_CONFIG_steps; ++step) {
    const int read = table->GetAsync(next.data(), kFeatures);
    MONITOR_BEGIN(GRADIENT)
    Vector delta = Gradient(weights, &random);
    MONITOR_END(GRADIENT)
    for (float& value : delta) value *= rate;
    table->AddAsync(delta.data(), kFeatures);
    table->Wait(read);
    weights.swap(next);
  }
}

// The largest error of a weight.
float WorstError(ArrayWorker<float>* table) {
  Vector weights(kFeatures);
  table->Get(weights.data(), kFeatures);
  float worst = 0;
  for (std::size_t i = 0; i < kFeatures; ++i) worst = std::max(worst, std::abs(weights[i] - Truth(i)));
  return worst;
}

int Run(int argc, char* argv[]) {
  MV_SetFlag("updater_type", "sgd");
  MV_Init(&argc, argv);
  const std::unique_ptr<ArrayWorker<float>> table(MV_CreateTable(ArrayTableOption<float>(kFeatures)));
  if (table != nullptr) Train(table.get());
  MV_Barrier();  // all that was added is there
  bool is_found = true;
  if (table != nullptr) {
    const float worst = WorstError(table.get());
    is_found = worst < 0.01F;
    std::printf("worker %d of %d: the largest error of a weight is %.2g\n%s\n", MV_WorkerId(),
                MV_NumWorkers(), static_cast<double>(worst), Dashboard::Watch("GRADIENT").c_str());
  }
  MV_ShutDown();
  return is_found ? 0 : 1;
}

}  // namespace

int main(int argc, char* argv[]) {
  try {
    return Run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "asgd: %s\n", error.what());
    return 1;
  }
}

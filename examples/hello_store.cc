// Tables on the servers: two workers train a linear model together, in rounds that wait for both (BSP).
//
//   build/examples/hello_store                      alone: servers and workers are threads of this process
//   tracker/local.sh 2 2 build/examples/hello_store the same over processes
//
// Servers need no code of their own: a StoreServer, or the program ps_node, serves every table.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "ps/ps.h"
#include "ps/store.h"
#include "ps/store_server.h"

namespace {

constexpr int kFeatures = 8;
constexpr int kRounds = 200;
constexpr int kBatch = 32;

// y = sum of (i + 1) * x_i: what the workers have to find out.
float TargetOf(const std::vector<float>& x) {
  float y = 0;
  for (int i = 0; i < kFeatures; ++i) y += static_cast<float>(i + 1) * x[static_cast<std::size_t>(i)];
  return y;
}

// The gradient of the squared error on a batch of this worker's own.
std::vector<float> Gradient(const std::vector<float>& w, std::mt19937* random) {
  std::normal_distribution<float> normal;
  std::vector<float> gradient(kFeatures), x(kFeatures);
  for (int example = 0; example < kBatch; ++example) {
    float predicted = 0;
    for (int i = 0; i < kFeatures; ++i) {
      x[static_cast<std::size_t>(i)] = normal(*random);
      predicted += w[static_cast<std::size_t>(i)] * x[static_cast<std::size_t>(i)];
    }
    const float error = predicted - TargetOf(x);
    for (int i = 0; i < kFeatures; ++i)
      gradient[static_cast<std::size_t>(i)] += error * x[static_cast<std::size_t>(i)] / kBatch;
  }
  return gradient;
}

void Train(ps::Store* store) {
  ps::TableSpec spec;
  spec.name = "weights";
  spec.rows = kFeatures;
  spec.updater = "sgd";
  spec.updater_options["lr"] = "0.1";
  spec.consistency = ps::Consistency::Bsp();
  spec.apply = ps::TableSpec::kMerged;  // one step per round, with the mean of the workers' gradients
  spec.mean = true;
  const auto table = store->Create(spec);
  std::mt19937 random(static_cast<unsigned>(store->rank()));
  std::vector<float> w(kFeatures);
  for (int round = 0; round < kRounds; ++round) {
    table->Get(ps::Rows::All(), w.data());
    table->Add(ps::Rows::All(), Gradient(w, &random).data());
  }
  table->Get(ps::Rows::All(), w.data());
  if (store->rank() != 0) return;
  std::printf("weights:");
  for (const float value : w) std::printf(" %.3f", static_cast<double>(value));
  std::printf("\n");
}

void RunAlone() {
  const auto stores = ps::Store::Local({/*servers=*/2, /*workers=*/2});
  std::vector<std::thread> workers;
  for (const auto& store : stores) workers.emplace_back(Train, store.get());
  for (std::thread& worker : workers) worker.join();
}

void RunAsNode() {
  ps::Start(0);
  std::unique_ptr<ps::StoreServer> server;
  if (ps::IsServer()) server = std::make_unique<ps::StoreServer>();
  if (ps::IsWorker()) {
    ps::Store store(ps::Postoffice::Get());
    Train(&store);
  }
  ps::Finalize(0);
}

}  // namespace

int main() {
  if (std::getenv("DMLC_ROLE") == nullptr) {
    RunAlone();
  } else {
    RunAsNode();
  }
  return 0;
}

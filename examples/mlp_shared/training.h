#ifndef PS_EXAMPLES_MLP_SHARED_TRAINING_H_
#define PS_EXAMPLES_MLP_SHARED_TRAINING_H_

#include <cstddef>
#include <memory>
#include <vector>

#include "examples/mlp_shared/exchange.h"
#include "examples/mlp_shared/network.h"
#include "examples/mlp_shared/synchroniser.h"
#include "examples/mnist/batches.h"

namespace mlp {

// How a process trains.
struct TrainingOptions {
  int devices = 1;
  int part = 0;  // of the processes that train together
  int num_parts = 1;
  std::size_t batch = 96;  // examples of a step, of all devices of all processes
  float rate = 0.8F;
  bool overlaps = true;
};

// How a round over the data went.
struct RoundResult {
  double test_error = 0;    // share of the test examples
  double step_seconds = 0;  // mean time of a step
  SyncTimes sync;           // of all devices
};

// Trains copies of one network, one on each device, which stay the same: every step adds up the gradients of
// all, and each device takes the same step. A batch is kBlocks blocks, and every device has as many of them.
class Training {
 public:
  static constexpr std::size_t kBlocks = 8;

  // Borrows all; the exchange is that of these devices. Throws std::invalid_argument for options that do not
  // fit together, or the digits.
  Training(const TrainingOptions& options, const Digits& train, const Digits& test, Exchange* exchange);

  RoundResult RunRound(unsigned round);
  // The network of the first device.
  const Arrays& weights() const { return replicas_.front()->network.weights(); }

 private:
  struct Replica {
    Replica(Arrays weights, Exchange* exchange, int device, bool overlaps)
        : network(std::move(weights)), sync(exchange, device, kNumKeys, overlaps) {}
    Network network;
    Synchroniser sync;
  };
  void Train(int device, std::size_t batch);
  // The device's share of the test examples.
  std::size_t NumWrong(int device);
  std::vector<Network::Block> BlocksOf(int device, std::size_t batch) const;
  void WaitForAll(Replica* replica);

  const TrainingOptions options_;
  const Digits& train_;
  const Digits& test_;
  Exchange* const exchange_;
  mnist::Batches batches_;
  std::vector<std::unique_ptr<Replica>> replicas_;  // by device
};

}  // namespace mlp

#endif  // PS_EXAMPLES_MLP_SHARED_TRAINING_H_

#ifndef PS_EXAMPLES_MNIST_TRAINING_H_
#define PS_EXAMPLES_MNIST_TRAINING_H_

#include <cstddef>
#include <memory>
#include <vector>

#include "examples/mnist/batches.h"
#include "examples/mnist/digits.h"
#include "examples/mnist/options.h"
#include "examples/mnist/progress.h"
#include "examples/mnist/replica.h"
#include "examples/mnist/totals.h"
#include "ps/kvstore.h"
#include "ps/trainer.h"

namespace mnist {

// One worker's share of the training, whatever the type of store: alone it is all of it.
class Training {
 public:
  // Borrows the digits. All workers make it together. Throws ps::Error, and std::invalid_argument for options
  // that do not fit the digits.
  Training(const Options& options, const Digits& train, const Digits& test);

  // All workers call it together, and all are told the same. `progress` is shown what this worker does; null:
  // nothing.
  EpochResult RunEpoch(unsigned epoch, Progress* progress);
  int rank() const { return store_->rank(); }

 private:
  // Steps on batch `batch`; the score of this worker's part of it.
  Score Step(std::size_t batch);
  // A new rate for the new epoch: one worker says it, and it holds for all.
  void SetRate(unsigned epoch);
  // Weights as all workers have left them.
  void PullWeights();
  std::size_t num_parts() const { return replicas_.size() * static_cast<std::size_t>(store_->num_workers()); }

  const Digits& train_;
  const Digits& test_;
  const Options options_;
  Batches batches_;
  std::vector<Replica>
      replicas_;  // one per device; before the store, which a GPU that is not there must not start
  std::shared_ptr<ps::KVStore> store_;  // shared with the trainer
  Totals totals_;
  std::unique_ptr<ps::Trainer> trainer_;
};

}  // namespace mnist

#endif  // PS_EXAMPLES_MNIST_TRAINING_H_

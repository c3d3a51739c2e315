#ifndef PS_EXAMPLES_LOGISTIC_REGRESSION_TRAINER_H_
#define PS_EXAMPLES_LOGISTIC_REGRESSION_TRAINER_H_

#include <cstddef>
#include <deque>
#include <random>
#include <vector>

#include "examples/logistic/dataset.h"
#include "examples/logistic_regression/options.h"
#include "examples/progress/epoch_progress.h"
#include "examples/table_job/worker_sums.h"
#include "ps/store.h"
#include "ps/table.h"

namespace lr {

// How an epoch went, of all workers.
struct EpochResult {
  double loss = 0;   // mean log loss, each example before it was learnt from
  double speed = 0;  // examples per second
};

// How well the model does on a file.
struct Quality {
  std::size_t num_examples = 0;
  double auc = 0;
  double accuracy = 0;
  double log_loss = 0;  // nats per example
};

// One worker's share of the training. The weights are a hash table, so that features may be any 64-bit
// numbers and only those take room that occur. The servers make a step with each gradient as it comes (FTRL);
// workers do not wait for each other, so that a gradient may be some steps old. FTRL bears that well.
class Trainer {
 public:
  // Reads this worker's part of the file. All workers make it together. Throws ps::Error and dmlc::Error.
  Trainer(ps::Store& store, const Options& options);

  // All workers call it together, epochs from 1 on, and all are told the same. `progress` is shown what this
  // worker does; null: nothing. Throws std::runtime_error where nobody has an example.
  EpochResult RunEpoch(unsigned epoch, progress::EpochProgress* progress);
  // Of the weights as they are now.
  Quality Judge();

 private:
  // The sum of the loss over the batch.
  double Step(const logistic::Batch& batch);
  // Waits until no more than `max_pending` steps are under way.
  void WaitForSteps(std::size_t max_pending);
  std::vector<float> WeightsOf(const logistic::Batch& batch);

  ps::Store& store_;
  const Options options_;
  const logistic::Dataset data_;
  ps::KVTable<float> weights_;
  table_job::WorkerSums sums_;
  std::vector<std::size_t> rows_;  // in the order of the epoch
  std::mt19937_64 random_;
  std::deque<ps::Ticket> pending_;  // oldest first
};

}  // namespace lr

#endif  // PS_EXAMPLES_LOGISTIC_REGRESSION_TRAINER_H_

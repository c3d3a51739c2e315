#ifndef PS_EXAMPLES_SPAM_FILTER_TRAINER_H_
#define PS_EXAMPLES_SPAM_FILTER_TRAINER_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "examples/logistic/dataset.h"
#include "examples/spam_filter/counters.h"
#include "examples/spam_filter/options.h"
#include "examples/spam_filter/progress.h"
#include "ps/ps.h"

namespace spam {

// Part `part` of `num_parts` of a file of mails, with the bias. Throws dmlc::Error: logistic::ReadLibsvm.
logistic::Dataset ReadMails(const std::string& path, unsigned part, unsigned num_parts);

// The parameter keys of buckets.
std::vector<ps::Key> KeysOf(const std::vector<uint64_t>& buckets);

// One worker's share of the training: for each batch of its part of the data, pull the weights of the
// batch's features, compute the gradient, push it. Workers do not wait for each other, so a gradient may be
// some steps old when it is applied; FTRL bears that well.
class Trainer {
 public:
  // `progress` may be null: then this worker shows nothing. Borrows all of them.
  Trainer(const Options& options, ps::KVWorker<float>* model, Counters* counters, Progress* progress)
      : options_(options), model_(*model), counters_(*counters), progress_(progress) {}

  // Trains on `data` and returns when every push was applied. The order of the mails follows from `seed`.
  void Train(const logistic::Dataset& data, unsigned seed);

  // Since Train was called.
  double Seconds() const;

 private:
  void Step(const logistic::Batch& batch);
  // Waits until no more than `max_pending` pushes are under way.
  void WaitForPushes(size_t max_pending);
  // Hands the sums of the last steps to the counters, and shows the progress.
  void Report();

  const Options& options_;
  ps::KVWorker<float>& model_;
  Counters& counters_;
  Progress* const progress_;
  std::deque<int> pending_;     // timestamps of pushes, oldest first
  std::vector<float> weights_;  // of the current batch
  TrainingState unreported_;
  std::chrono::steady_clock::time_point begin_;
};

}  // namespace spam

#endif  // PS_EXAMPLES_SPAM_FILTER_TRAINER_H_

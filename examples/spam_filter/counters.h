#ifndef PS_EXAMPLES_SPAM_FILTER_COUNTERS_H_
#define PS_EXAMPLES_SPAM_FILTER_COUNTERS_H_

#include <vector>

#include "examples/spam_filter/progress.h"
#include "ps/ps.h"

namespace spam {

// The TrainingState of the whole job, kept on a server: every worker adds its part.
class Counters {
 public:
  Counters();

  // Adds to the sums. Does not wait.
  void Add(const TrainingState& part);

  // Waits until what this worker added has arrived.
  void Flush();

  // The sums as they are now.
  TrainingState Read();

 private:
  ps::KVWorker<double> worker_;
  std::vector<int> pending_;  // timestamps of pushes
};

}  // namespace spam

#endif  // PS_EXAMPLES_SPAM_FILTER_COUNTERS_H_

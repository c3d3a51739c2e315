#ifndef PS_EXAMPLES_MNIST_PROGRESS_H_
#define PS_EXAMPLES_MNIST_PROGRESS_H_

#include <ostream>

#include "examples/progress/epoch_progress.h"

namespace mnist {

// How an epoch went.
struct EpochResult {
  double loss = 0;      // mean over the training examples, each before it was learnt from
  double accuracy = 0;  // percent of the test examples
  double speed = 0;     // training examples per second
  double seconds = 0;   // spent on training
};

// Shows how the training goes: on a terminal a bar that is redrawn in place, and everywhere a line per epoch.
class Progress {
 public:
  Progress(std::ostream* out, bool terminal, unsigned num_epochs) : epochs_(out, terminal, num_epochs) {}

  // `share` of the epoch (from 0 to 1) is done; `seconds` since it began.
  void Show(unsigned epoch, double share, double loss, double seconds);
  // The bar makes room for the line of the epoch.
  void Finish(unsigned epoch, const EpochResult& result);

 private:
  progress::EpochProgress epochs_;
};

}  // namespace mnist

#endif  // PS_EXAMPLES_MNIST_PROGRESS_H_

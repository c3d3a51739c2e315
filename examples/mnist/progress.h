#ifndef PS_EXAMPLES_MNIST_PROGRESS_H_
#define PS_EXAMPLES_MNIST_PROGRESS_H_

#include <cstddef>
#include <ostream>

namespace mnist {

// How an epoch went.
struct EpochResult {
  double loss = 0;      // mean over the training examples, each before it was learnt from
  double accuracy = 0;  // percent of the test examples
  double speed = 0;     // training examples per second
};

// Shows how the training goes: on a terminal a bar that is redrawn in place, and everywhere a line per epoch.
class Progress {
 public:
  Progress(std::ostream* out, bool terminal, unsigned num_epochs)
      : out_(*out), terminal_(terminal), num_epochs_(num_epochs) {}

  // `share` of the epoch (from 0 to 1) is done; `seconds` since it began.
  void Show(unsigned epoch, double share, double loss, double seconds);
  // The bar makes room for the line of the epoch.
  void Finish(unsigned epoch, const EpochResult& result);

 private:
  std::ostream& out_;
  const bool terminal_;
  const unsigned num_epochs_;
  double next_seconds_ = 0;  // from which on the bar may be redrawn
};

}  // namespace mnist

#endif  // PS_EXAMPLES_MNIST_PROGRESS_H_

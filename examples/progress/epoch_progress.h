#ifndef PS_EXAMPLES_PROGRESS_EPOCH_PROGRESS_H_
#define PS_EXAMPLES_PROGRESS_EPOCH_PROGRESS_H_

#include <ostream>
#include <string>

#include "examples/progress/progress_bar.h"

namespace progress {

// Shows how a training of several epochs goes: on a terminal a bar, and everywhere a line per epoch.
class EpochProgress {
 public:
  EpochProgress(std::ostream* out, bool terminal, unsigned num_epochs)
      : out_(*out), terminal_(terminal), num_epochs_(num_epochs), bar_(out) {}

  // Whether Show would draw: for texts that take time to make.
  bool Due(double seconds) const { return terminal_ && bar_.Due(seconds); }
  // `share` of the epoch (from 0 to 1) is done; `seconds` since it began.
  void Show(unsigned epoch, double share, const std::string& text, double seconds);
  // The bar makes room for the line of the epoch.
  void Finish(unsigned epoch, const std::string& text);

 private:
  std::string Label(unsigned epoch) const;

  std::ostream& out_;
  const bool terminal_;
  const unsigned num_epochs_;
  ProgressBar bar_;
};

}  // namespace progress

#endif  // PS_EXAMPLES_PROGRESS_EPOCH_PROGRESS_H_

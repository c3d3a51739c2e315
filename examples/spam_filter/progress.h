#ifndef PS_EXAMPLES_SPAM_FILTER_PROGRESS_H_
#define PS_EXAMPLES_SPAM_FILTER_PROGRESS_H_

#include <ostream>

#include "examples/progress/progress_bar.h"

namespace spam {

// The state of the training, summed over all workers. Loss is measured on each mail before it is learnt
// from ("progressive validation"), so it is an honest figure.
struct TrainingState {
  double num_done = 0;     // mails
  double num_planned = 0;  // mails, over all epochs
  double loss_sum = 0;     // nats, over the mails done
};

// Shows how the training goes: on a terminal a bar that is redrawn in place, elsewhere a line per tenth.
class Progress {
 public:
  Progress(std::ostream* out, bool terminal) : out_(*out), terminal_(terminal), bar_(out) {}

  // `seconds` since the training began.
  void Show(const TrainingState& state, double seconds);

  // Completes the bar; what is printed next begins on a new line.
  void Finish(const TrainingState& state, double seconds);

 private:
  void Draw(const TrainingState& state, double seconds);

  std::ostream& out_;
  const bool terminal_;
  progress::ProgressBar bar_;
  double next_share_ = 0;  // of the work, from which on a line is due
  TrainingState last_;     // at the line before: its loss is the mean since then
};

}  // namespace spam

#endif  // PS_EXAMPLES_SPAM_FILTER_PROGRESS_H_

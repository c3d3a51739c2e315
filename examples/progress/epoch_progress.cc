#include "examples/progress/epoch_progress.h"

namespace progress {

void EpochProgress::Show(unsigned epoch, double share, const std::string& text, double seconds) {
  if (Due(seconds)) bar_.Draw(Label(epoch) + ' ', share, text, seconds);
}

void EpochProgress::Finish(unsigned epoch, const std::string& text) {
  if (terminal_) bar_.Clear();
  out_ << Label(epoch) << "  " << text << std::endl;
}

std::string EpochProgress::Label(unsigned epoch) const {
  return "epoch " + std::to_string(epoch) + '/' + std::to_string(num_epochs_);
}

}  // namespace progress

#include "examples/spam_filter/progress.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace spam {
namespace {

double Share(const TrainingState& state) {
  return state.num_planned <= 0 ? 0 : std::min(1.0, state.num_done / state.num_planned);
}

}  // namespace

void Progress::Show(const TrainingState& state, double seconds) {
  const double share = Share(state);
  const bool due = terminal_ ? bar_.Due(seconds) : share >= next_share_;
  if (!due || state.num_done <= last_.num_done) return;
  Draw(state, seconds);
  next_share_ = (std::floor(share * 10) + 1) / 10;
}

void Progress::Finish(const TrainingState& state, double seconds) {
  if (terminal_ || state.num_done > last_.num_done) Draw(state, seconds);
  if (terminal_) out_ << '\n' << std::flush;
}

void Progress::Draw(const TrainingState& state, double seconds) {
  const double share = Share(state);
  const double new_mails = state.num_done - last_.num_done;
  const double loss = new_mails > 0 ? (state.loss_sum - last_.loss_sum) / new_mails
                                    : state.loss_sum / std::max(1.0, state.num_done);
  char text[96];
  std::snprintf(text, sizeof(text), "%.0f mails  %.0f mails/s  loss %.4f", state.num_done,
                seconds > 0 ? state.num_done / seconds : 0.0, loss);
  if (terminal_) {
    bar_.Draw("", share, text, seconds);
  } else {
    char percent[16];
    std::snprintf(percent, sizeof(percent), "%3.0f %%  ", share * 100);
    out_ << percent << text << '\n' << std::flush;
  }
  last_ = state;
}

}  // namespace spam

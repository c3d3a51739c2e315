#include "examples/mnist/progress.h"

#include <array>
#include <cstdio>
#include <string>

namespace mnist {
namespace {

constexpr double kRedrawSeconds = 0.1;
constexpr double kBarWidth = 30;

}  // namespace

void Progress::Show(unsigned epoch, double share, double loss, double seconds) {
  if (!terminal_ || seconds < next_seconds_) return;
  next_seconds_ = seconds + kRedrawSeconds;
  const auto filled = static_cast<std::size_t>(share * kBarWidth);
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%3.0f %%  loss %.4f", share * 100, loss);
  out_ << "\repoch " << epoch << '/' << num_epochs_ << " [" << std::string(filled, '#')
       << std::string(static_cast<std::size_t>(kBarWidth) - filled, '.') << "] " << text.data() << "\x1b[K"
       << std::flush;
}

void Progress::Finish(unsigned epoch, const EpochResult& result) {
  std::array<char, 128> text{};
  std::snprintf(text.data(), text.size(), "loss %.8f  test accuracy %.2f %%  %.0f samples/s", result.loss,
                result.accuracy, result.speed);
  out_ << (terminal_ ? "\r\x1b[K" : "") << "epoch " << epoch << '/' << num_epochs_ << "  " << text.data()
       << std::endl;
  next_seconds_ = 0;
}

}  // namespace mnist

#include "examples/mnist/progress.h"

#include <array>
#include <cstdio>

namespace mnist {

void Progress::Show(unsigned epoch, double share, double loss, double seconds) {
  if (!epochs_.Due(seconds)) return;
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "loss %.4f", loss);
  epochs_.Show(epoch, share, text.data(), seconds);
}

void Progress::Finish(unsigned epoch, const EpochResult& result) {
  std::array<char, 128> text{};
  std::snprintf(text.data(), text.size(), "loss %.8f  test accuracy %.2f %%  %.0f samples/s", result.loss,
                result.accuracy, result.speed);
  epochs_.Finish(epoch, text.data());
}

}  // namespace mnist

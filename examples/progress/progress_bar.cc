#include "examples/progress/progress_bar.h"

#include <array>
#include <cstddef>
#include <cstdio>

namespace progress {
namespace {

constexpr double kRedrawSeconds = 0.1;
constexpr std::size_t kBarWidth = 30;

}  // namespace

void ProgressBar::Draw(const std::string& label, double share, const std::string& text, double seconds) {
  const auto filled = static_cast<std::size_t>(share * static_cast<double>(kBarWidth));
  std::array<char, 16> percent{};
  std::snprintf(percent.data(), percent.size(), "%3.0f %%  ", share * 100);
  out_ << '\r' << label << '[' << std::string(filled, '#') << std::string(kBarWidth - filled, '.') << "] "
       << percent.data() << text << "\x1b[K" << std::flush;
  next_seconds_ = seconds + kRedrawSeconds;
}

void ProgressBar::Clear() {
  out_ << "\r\x1b[K";
  next_seconds_ = 0;
}

}  // namespace progress

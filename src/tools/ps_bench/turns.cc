#include "tools/ps_bench/turns.h"

#include <cstdio>
#include <iostream>
#include <stdexcept>
#include <string>

namespace ps::bench {
namespace {

void Say(const std::string& line) {
  if (std::printf("%s\n", line.c_str()) < 0 || std::fflush(stdout) != 0) {
    throw std::runtime_error("standard output is closed");
  }
}

}  // namespace

void TakeTurns(const std::function<Figures()>& measure) {
  Say(kReadyLine);
  for (std::string line; std::getline(std::cin, line);) {
    if (line != kGoLine) throw std::runtime_error("'" + line + "' instead of '" + kGoLine + "'");
    Say(FormatFigures(measure()));
  }
}

std::vector<double> TimeEach(int count, double limit_s, const std::function<void()>& call) {
  std::vector<double> microseconds;
  microseconds.reserve(static_cast<size_t>(count));
  const SteadyClock::time_point began = SteadyClock::now();
  SteadyClock::time_point last = began;
  while (static_cast<int>(microseconds.size()) < count) {
    call();
    const SteadyClock::time_point now = SteadyClock::now();
    microseconds.push_back(std::chrono::duration<double, std::micro>(now - last).count());
    last = now;
    if (std::chrono::duration<double>(now - began).count() > limit_s) break;
  }
  return microseconds;
}

}  // namespace ps::bench

// One side of an interleaved measurement: a process that measures whenever it is told to.
//
// Shared with the floors (tests/bench/floors), so nothing here needs the library.
#ifndef PS_TOOLS_PS_BENCH_TURNS_H_
#define PS_TOOLS_PS_BENCH_TURNS_H_

#include <chrono>
#include <functional>

#include "tools/ps_bench/figures.h"

namespace ps::bench {

// What passes between ps_bench and a side, as lines of its standard output and input.
constexpr const char* kReadyLine = "ready";
constexpr const char* kGoLine = "go";

// Says that it is ready; then, for each line "go" of standard input, measures and prints the figures as one
// line. Returns at the end of the input. Throws std::runtime_error when it is told something else.
void TakeTurns(const std::function<Figures()>& measure);

using SteadyClock = std::chrono::steady_clock;

inline double SecondsSince(SteadyClock::time_point start) {
  return std::chrono::duration<double>(SteadyClock::now() - start).count();
}

// Microseconds of each call, `count` of them; fewer when a machine under load needs more than `limit_s` for
// them.
std::vector<double> TimeEach(int count, double limit_s, const std::function<void()>& call);

}  // namespace ps::bench

#endif  // PS_TOOLS_PS_BENCH_TURNS_H_

// What the streams have in common.
#ifndef PS_TESTS_BENCH_FLOORS_STREAM_H_
#define PS_TESTS_BENCH_FLOORS_STREAM_H_

#include <algorithm>

#include "tests/bench/floors/floor.h"
#include "tools/ps_bench/turns.h"

namespace ps::floors {

// Messages of one Run.
inline int MessagesOf(const Task& task) {
  constexpr std::size_t kMost = 100000;  // small ones end before they have moved all bytes
  return static_cast<int>(std::clamp<std::size_t>(task.total_bytes / task.bytes, 2, kMost));
}

inline Figures StreamFigures(const Task& task, double seconds) {
  const double messages = MessagesOf(task);
  return {{"bytes_per_s", messages * static_cast<double>(task.bytes) / seconds},
          {"messages_per_s", messages / seconds}};
}

// Round trips are counted until so many seconds have passed.
constexpr double kPingLimitS = 0.5;

}  // namespace ps::floors

#endif  // PS_TESTS_BENCH_FLOORS_STREAM_H_

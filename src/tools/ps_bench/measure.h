// Runs a measurement: floor and job in turns, and what came of it.
#ifndef PS_TOOLS_PS_BENCH_MEASURE_H_
#define PS_TOOLS_PS_BENCH_MEASURE_H_

#include <optional>
#include <string>
#include <vector>

#include "tools/ps_bench/plan.h"

namespace ps::bench {

// A line of the table.
struct Line {
  std::string row;
  LinePlan plan;
  Spread figure;
  std::optional<Spread> floor;
  std::optional<Spread> ratio;  // of neighbouring turns: figure / floor
};

// What became of a bar: nothing without one.
std::optional<bool> IsMet(const Line& line);

// Figures of each turn: of the measured side and, beside it, of the floor (empty where there is none).
struct Turn {
  Figures floor;
  Figures measured;
};
std::vector<Line> LinesOf(const Measurement& measurement, const std::vector<Turn>& turns);

// One pair of turns to warm up, then `pairs` that count. Throws as Child does.
std::vector<Line> Measure(const Measurement& measurement, int pairs, const Interrupts* interrupts);

}  // namespace ps::bench

#endif  // PS_TOOLS_PS_BENCH_MEASURE_H_

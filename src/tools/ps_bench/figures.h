// Named numbers, as the processes of a measurement pass them to each other in one line of text.
//
// Shared with the floors (tests/bench/floors), so nothing here needs the library.
#ifndef PS_TOOLS_PS_BENCH_FIGURES_H_
#define PS_TOOLS_PS_BENCH_FIGURES_H_

#include <map>
#include <string>
#include <vector>

namespace ps::bench {

// The unit is the end of the name: p50_us, bytes_per_s.
using Figures = std::map<std::string, double>;

// "count=100 p50_us=12.5". A name has no blank and no '='.
std::string FormatFigures(const Figures& figures);
// Throws std::invalid_argument that quotes what is no such text.
Figures ParseFigures(const std::string& text);
// Throws std::out_of_range that names what is missing.
double FigureOf(const Figures& figures, const std::string& name);

// Of at least one value; the median of an even number is the mean of the middle two.
struct Spread {
  double median = 0;
  double min = 0;
  double max = 0;
};
Spread SpreadOf(std::vector<double> values);

// p50_us, mean_us, p99_us and mean_per_p50 of durations in microseconds, at least one.
Figures LatencyFigures(std::vector<double> microseconds);

// The figures of several workers as one: rates (..._per_s) add up, everything else is averaged. All have the
// same names.
Figures Combine(const std::vector<Figures>& workers);

}  // namespace ps::bench

#endif  // PS_TOOLS_PS_BENCH_FIGURES_H_

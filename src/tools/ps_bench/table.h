// The table of ps_bench, for people and as CSV.
#ifndef PS_TOOLS_PS_BENCH_TABLE_H_
#define PS_TOOLS_PS_BENCH_TABLE_H_

#include <string>
#include <vector>

#include "tools/ps_bench/measure.h"

namespace ps::bench {

std::string TableHead();
// Without the end of the line. "median (min to max)" three times, then the bar and whether it is met.
std::string TableLine(const Line& line);

std::string CsvHead();
std::string CsvLine(const Line& line, const Options& options);
// Throws std::runtime_error that names the file.
void WriteCsv(const std::string& file, const std::vector<Line>& lines, const Options& options);

}  // namespace ps::bench

#endif  // PS_TOOLS_PS_BENCH_TABLE_H_

#include "tools/ps_bench/table.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <stdexcept>

namespace ps::bench {
namespace {

// Three digits, more before the point if need be, never an exponent.
std::string Number(double value) {
  const double size = value < 0 ? -value : value;
  const int decimals = size >= 100 || size == 0 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : size >= 0.1 ? 3 : 4;
  char text[64];
  std::snprintf(text, sizeof(text), "%.*f", decimals, value);
  return text;
}

std::string Text(const std::optional<Spread>& spread) {
  if (!spread.has_value()) return "-";
  return Number(spread->median) + " (" + Number(spread->min) + " to " + Number(spread->max) + ")";
}

std::string BarText(const LinePlan& plan) {
  const Bar& bar = plan.bar;
  if (bar.of == Bar::Of::kNothing) return "";
  const std::string unit = bar.of == Bar::Of::kRatio ? " x floor" : plan.unit.empty() ? "" : " " + plan.unit;
  return std::string(bar.at_most ? "<= " : ">= ") + Number(bar.bound) + unit;
}

std::string Verdict(const Line& line) {
  const std::optional<bool> met = IsMet(line);
  return !met.has_value() ? "" : *met ? "met" : "missed";
}

std::string Row(const std::vector<std::string>& cells) {
  char text[400];
  std::snprintf(text, sizeof(text), "%-44s %-5s  %-25s  %-25s  %-22s %s", cells[0].c_str(), cells[1].c_str(),
                cells[2].c_str(), cells[3].c_str(), cells[4].c_str(), cells[5].c_str());
  std::string row = text;
  row.erase(row.find_last_not_of(' ') + 1);
  return row;
}

std::string Quoted(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

// Three cells; empty ones where there is nothing.
std::string CsvSpread(const std::optional<Spread>& spread) {
  if (!spread.has_value()) return ",,,";
  char text[100];
  std::snprintf(text, sizeof(text), ",%.6g,%.6g,%.6g", spread->median, spread->min, spread->max);
  return text;
}

}  // namespace

std::string TableHead() { return Row({"", "unit", "figure", "floor", "figure / floor", "stage 1"}); }

std::string TableLine(const Line& line) {
  const std::string verdict = Verdict(line);
  return Row({line.plan.label, line.plan.unit, Text(line.figure), Text(line.floor), Text(line.ratio),
              verdict.empty() ? "" : BarText(line.plan) + ": " + verdict});
}

std::string CsvHead() {
  return "row,label,transport,servers,workers,pairs,unit,figure,figure_min,figure_max,floor,floor_min,floor_"
         "max,"
         "ratio,ratio_min,ratio_max,bar,verdict";
}

std::string CsvLine(const Line& line, const Options& options) {
  return line.row + "," + Quoted(line.plan.label) + "," + options.transport + "," +
         std::to_string(options.servers) + "," + std::to_string(options.workers) + "," +
         std::to_string(options.pairs) + "," + line.plan.unit + CsvSpread(line.figure) +
         CsvSpread(line.floor) + CsvSpread(line.ratio) + "," + Quoted(BarText(line.plan)) + "," +
         Verdict(line);
}

void WriteCsv(const std::string& file, const std::vector<Line>& lines, const Options& options) {
  std::ofstream out(file);
  out << CsvHead() << "\n";
  for (const Line& line : lines) out << CsvLine(line, options) << "\n";
  out.close();
  if (!out) throw std::runtime_error(file + " can not be written: " + std::strerror(errno));
}

}  // namespace ps::bench

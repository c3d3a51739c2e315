#include "tools/ps_bench/figures.h"

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <sstream>
#include <stdexcept>

namespace ps::bench {
namespace {

double Mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

bool IsRate(const std::string& name) {
  constexpr const char* kEnd = "_per_s";
  return name.size() >= 6 && name.compare(name.size() - 6, 6, kEnd) == 0;
}

}  // namespace

std::string FormatFigures(const Figures& figures) {
  std::string text;
  for (const auto& [name, value] : figures) {
    char number[40];
    std::snprintf(number, sizeof(number), "%.12g", value);
    text += (text.empty() ? "" : " ") + name + "=" + number;
  }
  return text;
}

Figures ParseFigures(const std::string& text) {
  Figures figures;
  std::istringstream in(text);
  for (std::string word; in >> word;) {
    const size_t sign = word.find('=');
    size_t used = 0;
    try {
      if (sign == 0 || sign == std::string::npos) throw std::invalid_argument(word);
      figures[word.substr(0, sign)] = std::stod(word.substr(sign + 1), &used);
    } catch (const std::logic_error&) {
      throw std::invalid_argument("'" + text + "' is not a line of figures");
    }
    if (used != word.size() - sign - 1) throw std::invalid_argument("'" + word + "' is not a figure");
  }
  return figures;
}

double FigureOf(const Figures& figures, const std::string& name) {
  const auto found = figures.find(name);
  if (found == figures.end()) throw std::out_of_range("no figure '" + name + "'");
  return found->second;
}

Spread SpreadOf(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const size_t half = values.size() / 2;
  const double median = values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
  return {median, values.front(), values.back()};
}

Figures LatencyFigures(std::vector<double> microseconds) {
  std::sort(microseconds.begin(), microseconds.end());
  const size_t last = microseconds.size() - 1;
  const double p50 = microseconds[last / 2];
  const double mean = Mean(microseconds);
  return {{"p50_us", p50},
          {"mean_us", mean},
          {"p99_us", microseconds[last * 99 / 100]},
          {"mean_per_p50", mean / p50}};
}

Figures Combine(const std::vector<Figures>& workers) {
  Figures all;
  for (const auto& [name, unused] : workers.front()) {
    std::vector<double> values;
    for (const Figures& figures : workers) values.push_back(FigureOf(figures, name));
    const double mean = Mean(values);
    all[name] = IsRate(name) ? mean * static_cast<double>(values.size()) : mean;
  }
  return all;
}

}  // namespace ps::bench

#include "tools/ps_bench/measure.h"

#include <memory>

#include "tools/ps_bench/side.h"

namespace ps::bench {
namespace {

Line MakeLine(const std::string& row, const LinePlan& plan, const std::vector<Turn>& turns) {
  std::vector<double> figures, floors, ratios;
  for (const Turn& turn : turns) {
    figures.push_back(plan.scale * FigureOf(turn.measured, plan.figure));
    if (plan.floor_figure.empty()) continue;
    floors.push_back(plan.floor_scale * FigureOf(turn.floor, plan.floor_figure));
    ratios.push_back(figures.back() / floors.back());
  }
  Line line{row, plan, SpreadOf(figures), std::nullopt, std::nullopt};
  if (floors.empty()) return line;
  line.floor = SpreadOf(floors);
  line.ratio = SpreadOf(ratios);
  return line;
}

}  // namespace

std::optional<bool> IsMet(const Line& line) {
  const Bar& bar = line.plan.bar;
  if (bar.of == Bar::Of::kNothing) return std::nullopt;
  const double reached = bar.of == Bar::Of::kRatio ? line.ratio.value().median : line.figure.median;
  return bar.at_most ? reached <= bar.bound : reached >= bar.bound;
}

std::vector<Line> LinesOf(const Measurement& measurement, const std::vector<Turn>& turns) {
  std::vector<Line> lines;
  for (const LinePlan& plan : measurement.lines) lines.push_back(MakeLine(measurement.row, plan, turns));
  return lines;
}

std::vector<Line> Measure(const Measurement& measurement, int pairs, const Interrupts* interrupts) {
  const bool alone = measurement.kind == Measurement::Kind::kFloor;
  std::unique_ptr<Child> neighbour;
  if (measurement.busy_neighbour) {
    const std::vector<std::string> command = {ProgramBeside("ps_floors"), "busy"};
    neighbour = std::make_unique<Child>("busy neighbour", command, Child::Variables(), interrupts);
  }
  const std::unique_ptr<Side> floor = MakeFloorSide(measurement, interrupts);
  const std::unique_ptr<Side> job = MakeJobSide(measurement, interrupts);
  std::vector<Turn> turns;
  for (int i = -1; i < pairs; ++i) {
    Turn turn;
    if (floor != nullptr) turn.floor = floor->Run();
    turn.measured = alone ? turn.floor : job->Run();
    if (i >= 0) turns.push_back(turn);
  }
  if (floor != nullptr) floor->Finish();
  if (job != nullptr) job->Finish();
  return LinesOf(measurement, turns);
}

}  // namespace ps::bench

#include "tools/ps_bench/measure.h"

#include <gtest/gtest.h>

namespace ps::bench {
namespace {

Measurement OneLine(const Bar& bar) {
  Measurement measurement;
  measurement.row = "dense";
  measurement.lines = {{"push", "bytes_per_s", "stream_per_s", "GB/s", 1e-9, 1e-9, bar}};
  return measurement;
}

std::vector<Turn> Turns(const std::vector<std::pair<double, double>>& floor_and_figure) {
  std::vector<Turn> turns;
  for (const auto& [floor, figure] : floor_and_figure) {
    turns.push_back({{{"stream_per_s", floor}}, {{"bytes_per_s", figure}}});
  }
  return turns;
}

// A machine that is three times slower in one turn is so on both sides of it.
TEST(LinesOfTest, RatiosAreThoseOfNeighbouringTurns) {
  const auto turns = Turns({{4e9, 2e9}, {2e9, 1e9}, {8e9, 6e9}});
  const Line line = LinesOf(OneLine({}), turns).at(0);
  EXPECT_DOUBLE_EQ(line.figure.median, 2);
  EXPECT_DOUBLE_EQ(line.floor.value().median, 4);
  EXPECT_DOUBLE_EQ(line.ratio.value().median, 0.5);
  EXPECT_DOUBLE_EQ(line.ratio.value().max, 0.75);
}

TEST(LinesOfTest, WithoutAFloorThereIsNoRatio) {
  Measurement measurement = OneLine(Bar::AtLeast(1));
  measurement.lines[0].floor_figure = "";
  const Line line = LinesOf(measurement, Turns({{1, 2e9}})).at(0);
  EXPECT_FALSE(line.floor.has_value());
  EXPECT_FALSE(line.ratio.has_value());
  EXPECT_EQ(IsMet(line), true);
}

TEST(IsMetTest, TheMedianDecidesAndTheBoundItselfIsMet) {
  const auto turns = Turns({{4e9, 2e9}});  // figure 2, ratio 0.5
  const auto met = [&turns](const Bar& bar) { return IsMet(LinesOf(OneLine(bar), turns).at(0)); };
  EXPECT_EQ(met(Bar::AtLeast(2)), true);
  EXPECT_EQ(met(Bar::AtLeast(2.1)), false);
  EXPECT_EQ(met(Bar::AtMost(2)), true);
  EXPECT_EQ(met(Bar::AtMost(1.9)), false);
  EXPECT_EQ(met(Bar::RatioAtLeast(0.5)), true);
  EXPECT_EQ(met(Bar::RatioAtLeast(0.75)), false);
  EXPECT_EQ(met(Bar::RatioAtMost(0.5)), true);
  EXPECT_EQ(met(Bar::RatioAtMost(0.4)), false);
  EXPECT_EQ(met({}), std::nullopt);
}

}  // namespace
}  // namespace ps::bench

#include "tools/ps_bench/figures.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace ps::bench {
namespace {

TEST(FiguresTest, AreTheSameAfterTheyWereText) {
  const Figures figures = {{"p50_us", 12.5}, {"count", 100}, {"growth", -0.25}, {"bytes_per_s", 6.25e9}};
  EXPECT_EQ(ParseFigures(FormatFigures(figures)), figures);
  EXPECT_EQ(FormatFigures({{"b", 2}, {"a", 1.5}}), "a=1.5 b=2");
  EXPECT_TRUE(ParseFigures("").empty());
}

TEST(FiguresTest, TextThatIsNoneIsRefusedAndQuoted) {
  for (const char* text : {"a", "=1", "a=", "a=x", "a=1x", "a=1 b", "waiting for nodes"}) {
    EXPECT_THROW(ParseFigures(text), std::invalid_argument) << text;
  }
  try {
    ParseFigures("speed=fast");
    FAIL() << "no exception";
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("speed=fast"), std::string::npos) << error.what();
  }
}

TEST(FiguresTest, OneThatIsMissingIsNamed) {
  try {
    FigureOf({{"p50_us", 1}}, "p99_us");
    FAIL() << "no exception";
  } catch (const std::out_of_range& error) {
    EXPECT_NE(std::string(error.what()).find("p99_us"), std::string::npos) << error.what();
  }
}

TEST(SpreadTest, IsMedianSmallestAndLargest) {
  const Spread odd = SpreadOf({5, 1, 3});
  EXPECT_EQ(odd.median, 3);
  EXPECT_EQ(odd.min, 1);
  EXPECT_EQ(odd.max, 5);
  EXPECT_EQ(SpreadOf({4, 1, 2, 100}).median, 3);
  EXPECT_EQ(SpreadOf({7}).median, 7);
}

TEST(LatencyFiguresTest, SlowOnesMoveTheMeanAndTheTailButNotTheMedian) {
  std::vector<double> microseconds(101, 10.0);
  microseconds[3] = microseconds[50] = 1020;
  const Figures figures = LatencyFigures(microseconds);
  EXPECT_EQ(FigureOf(figures, "p50_us"), 10);
  EXPECT_DOUBLE_EQ(FigureOf(figures, "mean_us"), 30);
  EXPECT_EQ(FigureOf(figures, "p99_us"), 1020);
  EXPECT_DOUBLE_EQ(FigureOf(figures, "mean_per_p50"), 3);
}

TEST(CombineTest, RatesOfWorkersAddUpAndDurationsAreAveraged) {
  const Figures all = Combine({{{"bytes_per_s", 10}, {"p50_us", 4}}, {{"bytes_per_s", 30}, {"p50_us", 8}}});
  EXPECT_EQ(FigureOf(all, "bytes_per_s"), 40);
  EXPECT_EQ(FigureOf(all, "p50_us"), 6);
}

}  // namespace
}  // namespace ps::bench

#include "tools/ps_bench/table.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace ps::bench {
namespace {

Line MakeLine() {
  Line line;
  line.row = "latency";
  line.plan = {"pull, \"p50\"", "p50_us", "p50_us", "us", 1, 1, Bar::RatioAtMost(1.5)};
  line.figure = {123.4, 99.6, 1234.5};
  line.floor = Spread{61.7, 50, 70};
  line.ratio = Spread{2, 1.25, 3};
  return line;
}

TEST(TableTest, ALineHasFigureFloorRatioAndVerdict) {
  const std::string text = TableLine(MakeLine());
  for (const char* part :
       {"123 (99.6 to 1234)", "61.7 (50.0 to 70.0)", "2.00 (1.25 to 3.00)", "<= 1.50 x floor: missed"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " is not in: " << text;
  }
}

TEST(TableTest, WhatIsNotThereIsADash) {
  Line line = MakeLine();
  line.plan.bar = {};
  line.floor.reset();
  line.ratio.reset();
  const std::string text = TableLine(line);
  EXPECT_EQ(text.back(), '-') << text;
  EXPECT_EQ(text.find("met"), std::string::npos) << text;
}

TEST(CsvTest, ALineHasTheCellsOfTheHead) {
  Line line = MakeLine();
  Options options;
  options.transport = "zmq";
  EXPECT_EQ(CsvLine(line, options),
            "latency,\"pull, \"\"p50\"\"\",zmq,1,1,7,us,123.4,99.6,1234.5,61.7,50,70,2,1.25,3,"
            "\"<= 1.50 x floor\",missed");
  line.plan.label = "pull";
  line.floor.reset();
  line.ratio.reset();
  line.plan.bar = Bar::AtMost(200);
  const std::string text = CsvLine(line, options);
  const std::string head = CsvHead();
  EXPECT_EQ(std::count(text.begin(), text.end(), ','), std::count(head.begin(), head.end(), ','));
  EXPECT_NE(text.find(",,,,,,,\"<= 200 us\",met"), std::string::npos) << text;
}

TEST(CsvTest, AFileThatCanNotBeWrittenIsNamed) {
  try {
    WriteCsv("/no/such/folder/out.csv", {}, Options());
    FAIL() << "no exception";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("/no/such/folder/out.csv"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace ps::bench

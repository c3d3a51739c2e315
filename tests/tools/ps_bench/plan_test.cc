#include "tools/ps_bench/plan.h"

#include <gtest/gtest.h>

#include <set>

namespace ps::bench {
namespace {

TEST(PlanTest, EveryRowMeasuresSomethingAndOnlyThoseThatAreWantedAre) {
  Options options;
  std::set<std::string> rows;
  for (const Measurement& measurement : MeasurementsOf(options)) {
    rows.insert(measurement.row);
    EXPECT_FALSE(measurement.lines.empty()) << measurement.row;
  }
  EXPECT_EQ(rows, std::set<std::string>(RowNames().begin(), RowNames().end()));
  options.rows = {"urgent", "rate"};
  rows.clear();
  for (const Measurement& measurement : MeasurementsOf(options)) rows.insert(measurement.row);
  EXPECT_EQ(rows, std::set<std::string>({"rate", "urgent"}));
}

TEST(PlanTest, ABarOnARatioHasAFloor) {
  for (const bool over_shm : {false, true}) {
    Options options;
    options.over_shm = over_shm;
    for (const Measurement& measurement : MeasurementsOf(options)) {
      for (const LinePlan& line : measurement.lines) {
        const bool is_there = !measurement.floor.name.empty() || measurement.floor_job.has_value();
        const bool has_floor = is_there && !line.floor_figure.empty();
        EXPECT_TRUE(has_floor || line.bar.of != Bar::Of::kRatio) << line.label;
      }
    }
  }
}

TEST(PlanTest, JobsAreAsLargeAsAskedForAndGetTheTransport) {
  Options options;
  options.servers = 2;
  options.workers = 3;
  options.transport = "zmq";
  options.rows = {"dense"};
  for (const Measurement& measurement : MeasurementsOf(options)) {
    EXPECT_EQ(measurement.job.servers, 2);
    EXPECT_EQ(measurement.job.workers, 3);
    EXPECT_EQ(measurement.job.transport, "zmq");
  }
}

// What a transport is compared with, and has to reach, depends on which one it is.
TEST(PlanTest, SharedMemoryIsComparedWithSharedMemory) {
  Options options;
  options.rows = {"dense"};
  EXPECT_EQ(MeasurementsOf(options).at(0).floor.name, "zmq-stream");
  EXPECT_EQ(MeasurementsOf(options).at(0).lines.at(0).bar.bound, 0.9);
  options.over_shm = true;
  EXPECT_EQ(MeasurementsOf(options).at(0).floor.name, "ring");
  EXPECT_EQ(MeasurementsOf(options).at(0).lines.at(0).bar.bound, 0.75);
}

TEST(PlanTest, BesideABusyProcessDensePushesAreComparedWithThemselvesWithoutSpinning) {
  Options options;
  options.over_shm = true;
  options.rows = {"dense"};
  int found = 0;
  for (const Measurement& measurement : MeasurementsOf(options)) {
    if (!measurement.floor_job) continue;
    ++found;
    EXPECT_TRUE(measurement.busy_neighbour);
    EXPECT_EQ(measurement.floor_job->settings, measurement.job.settings);
    EXPECT_EQ(measurement.floor_job->variables, (Child::Variables{{"PS_SPIN_US", "0"}}));
    EXPECT_TRUE(measurement.job.variables.empty());
    EXPECT_EQ(measurement.lines.at(0).bar.bound, 0.7);
  }
  EXPECT_EQ(found, 3);
}

}  // namespace
}  // namespace ps::bench

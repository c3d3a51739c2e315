// What ps_bench measures, as data: the rows, what each runs beside which floor, and which bar it has to meet.
#ifndef PS_TOOLS_PS_BENCH_PLAN_H_
#define PS_TOOLS_PS_BENCH_PLAN_H_

#include <optional>
#include <string>
#include <vector>

#include "tools/ps_bench/job.h"

namespace ps::bench {

// What the command line asks for.
struct Options {
  std::vector<std::string> rows;   // of RowNames; empty: all
  std::string transport = "auto";  // auto, zmq, shm
  bool over_shm = false;           // what that comes to between two processes of this machine
  bool is_inline = false;          // request handles run on the receiving thread
  int servers = 1;
  int workers = 1;
  int pairs = 7;
  bool quick = false;  // small counts: shows that everything works, not how fast
  std::string csv;     // a file; empty: none
};

// A floor of the machine (tests/bench/floors).
struct FloorPlan {
  std::string name;  // empty: there is none
  Figures settings;
};

// The stage-1 figure a line has to reach.
struct Bar {
  enum class Of { kNothing, kFigure, kRatio };
  Of of = Of::kNothing;
  bool at_most = true;
  double bound = 0;

  static Bar AtMost(double figure) { return {Of::kFigure, true, figure}; }
  static Bar AtLeast(double figure) { return {Of::kFigure, false, figure}; }
  static Bar RatioAtMost(double ratio) { return {Of::kRatio, true, ratio}; }
  static Bar RatioAtLeast(double ratio) { return {Of::kRatio, false, ratio}; }
};

// One line of the table: a figure of the measured side beside one of the floor.
struct LinePlan {
  std::string label;
  std::string figure;        // its name in Figures
  std::string floor_figure;  // the same of the floor
  std::string unit;
  double scale = 1;        // unit of the table / unit of the figure
  double floor_scale = 1;  // the same of the floor
  Bar bar;
};

// What is measured in turns with its floor.
struct Measurement {
  enum class Kind {
    kWork,   // the workers of a job measure
    kStart,  // the whole life of a job: figure "seconds"
    kIdle,   // the processor time of a job's busiest node: figure "cpu_percent"
    kFloor   // the floor alone: its figures
  };
  std::string row;
  Kind kind = Kind::kWork;
  JobPlan job;
  FloorPlan floor;
  std::optional<JobPlan> floor_job;  // of kWork: a job that does the same instead of a floor
  double seconds = 0;                // of kIdle
  bool busy_neighbour = false;       // a process beside that wants a core all the time
  std::vector<LinePlan> lines;
};

// In the order of the table.
const std::vector<std::string>& RowNames();
std::vector<Measurement> MeasurementsOf(const Options& options);

}  // namespace ps::bench

#endif  // PS_TOOLS_PS_BENCH_PLAN_H_

#include "tools/ps_bench/side.h"

#include <algorithm>

#include "tools/ps_bench/turns.h"

namespace ps::bench {
namespace {

constexpr double kLimitS = 120;

class FloorSide : public Side {
 public:
  FloorSide(const FloorPlan& plan, const Interrupts* interrupts)
      : floor_("floor " + plan.name, {ProgramBeside("ps_floors"), plan.name, FormatFigures(plan.settings)},
               {}, interrupts) {
    floor_.Hear(kLimitS);
  }
  Figures Run() override {
    floor_.Say(kGoLine);
    return ParseFigures(floor_.Hear(kLimitS));
  }
  void Finish() override { floor_.Finish(kLimitS); }

 private:
  Child floor_;
};

class WorkSide : public Side {
 public:
  WorkSide(const JobPlan& plan, const Interrupts* interrupts) : job_(plan, interrupts) { job_.AwaitReady(); }
  Figures Run() override { return job_.Run(); }
  void Finish() override { job_.Finish(); }

 private:
  Job job_;
};

class StartSide : public Side {
 public:
  StartSide(const JobPlan& plan, const Interrupts* interrupts) : plan_(plan), interrupts_(interrupts) {}
  Figures Run() override {
    const auto start = SteadyClock::now();
    Job job(plan_, interrupts_);
    job.Finish();
    return {{"seconds", SecondsSince(start)}};
  }
  void Finish() override {}

 private:
  const JobPlan plan_;
  const Interrupts* const interrupts_;
};

class IdleSide : public Side {
 public:
  IdleSide(const Measurement& measurement, const Interrupts* interrupts)
      : seconds_(measurement.seconds), interrupts_(interrupts), job_(measurement.job, interrupts) {
    job_.AwaitReady();
  }
  Figures Run() override {
    const auto start = SteadyClock::now();
    const std::vector<double> before = job_.ProcessorSeconds();
    interrupts_->AwaitReadable(-1, seconds_);
    const std::vector<double> after = job_.ProcessorSeconds();
    double most = 0;
    for (size_t i = 0; i < before.size(); ++i) most = std::max(most, after[i] - before[i]);
    return {{"cpu_percent", 100 * most / SecondsSince(start)}};
  }
  void Finish() override { job_.Finish(); }

 private:
  const double seconds_;
  const Interrupts* const interrupts_;
  Job job_;
};

}  // namespace

std::unique_ptr<Side> MakeFloorSide(const Measurement& measurement, const Interrupts* interrupts) {
  if (measurement.floor_job) return std::make_unique<WorkSide>(*measurement.floor_job, interrupts);
  if (measurement.floor.name.empty()) return nullptr;
  return std::make_unique<FloorSide>(measurement.floor, interrupts);
}

std::unique_ptr<Side> MakeJobSide(const Measurement& measurement, const Interrupts* interrupts) {
  switch (measurement.kind) {
    case Measurement::Kind::kWork: return std::make_unique<WorkSide>(measurement.job, interrupts);
    case Measurement::Kind::kStart: return std::make_unique<StartSide>(measurement.job, interrupts);
    case Measurement::Kind::kIdle: return std::make_unique<IdleSide>(measurement, interrupts);
    case Measurement::Kind::kFloor: break;
  }
  return nullptr;
}

}  // namespace ps::bench

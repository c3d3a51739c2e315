// How a rule's rate changes with the number of updates.
#ifndef PS_STORE_UPDATER_SCHEDULE_H_
#define PS_STORE_UPDATER_SCHEDULE_H_

#include <dmlc/parameter.h>

#include <cstdint>
#include <string>
#include <vector>

#include "ps/status.h"
#include "store/updater/real.h"

namespace ps {

// MXNet's schedulers, by their options' names. The base is the rule's lr.
struct ScheduleOptions : dmlc::Parameter<ScheduleOptions> {
  enum Kind { kNone = 0, kFactor = 1, kMultiFactor = 2, kPoly = 3, kCosine = 4 };
  enum WarmUp { kLinear = 0, kConstant = 1 };

  int schedule;
  int step;           // factor: updates from one drop to the next
  std::string steps;  // multifactor: the updates behind which the rate drops, rising
  Real factor;
  Real stop_factor_lr;  // factor: never below
  int max_update;       // poly, cosine: there the rate is final_lr
  Real final_lr;
  Real power;  // poly
  int warmup_steps;
  Real warmup_begin_lr;
  int warmup_mode;

  DMLC_DECLARE_PARAMETER(ScheduleOptions) {
    DMLC_DECLARE_FIELD(schedule)
        .set_default(kNone)
        .add_enum("none", kNone)
        .add_enum("factor", kFactor)
        .add_enum("multifactor", kMultiFactor)
        .add_enum("poly", kPoly)
        .add_enum("cosine", kCosine);
    DMLC_DECLARE_FIELD(step).set_default(1).set_lower_bound(1).describe("at least 1");
    DMLC_DECLARE_FIELD(steps).set_default("").describe("whole numbers, rising, as in 1000,2000");
    DMLC_DECLARE_FIELD(factor).set_default(1).set_range(0, 1).describe("in [0, 1]");
    DMLC_DECLARE_FIELD(stop_factor_lr).set_default(1e-8).set_lower_bound(0).describe("at least 0");
    DMLC_DECLARE_FIELD(max_update).set_default(1).set_lower_bound(1).describe("at least 1");
    DMLC_DECLARE_FIELD(final_lr).set_default(0).set_lower_bound(0).describe("at least 0");
    DMLC_DECLARE_FIELD(power).set_default(2).set_lower_bound(0).describe("at least 0");
    DMLC_DECLARE_FIELD(warmup_steps).set_default(0).set_lower_bound(0).describe("at least 0");
    DMLC_DECLARE_FIELD(warmup_begin_lr).set_default(0).set_lower_bound(0).describe("at least 0");
    DMLC_DECLARE_FIELD(warmup_mode)
        .set_default(kLinear)
        .add_enum("linear", kLinear)
        .add_enum("constant", kConstant);
    DMLC_DECLARE_ALIAS(schedule, lr_scheduler);
    DMLC_DECLARE_ALIAS(power, pwr);
  }
};

// A pure function of base and number. Copies freely.
class Schedule {
 public:
  // No schedule: the rate is the base.
  Schedule();
  // kInvalidArgument: options that do not fit together.
  static Result<Schedule> Of(const ScheduleOptions& options);

  // The rate of the update with this number, counted from 1 (0 is as 1).
  double At(std::int64_t number, double base) const;
  const ScheduleOptions& options() const { return options_; }

 private:
  double WarmUp(std::int64_t number, double base) const;
  // 0 at the end of the warm-up, 1 from max_update on.
  double Progress(std::int64_t number) const;

  ScheduleOptions options_;
  std::vector<std::int64_t> steps_;
};

}  // namespace ps

#endif  // PS_STORE_UPDATER_SCHEDULE_H_

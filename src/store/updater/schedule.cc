#include "store/updater/schedule.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>

#include "base/parse.h"
#include "store/updater/options.h"

namespace ps {

DMLC_REGISTER_PARAMETER(ScheduleOptions);

namespace {

// "10,20": rising whole numbers.
Result<std::vector<std::int64_t>> ParseSteps(std::string_view text) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  std::vector<std::int64_t> steps;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const std::optional<std::int64_t> step = ParseInteger(text.substr(0, comma), 1, kMost);
    if (!step || (!steps.empty() && *step <= steps.back())) {
      return Status::InvalidArgument(
          "steps must be whole numbers from 1 on, rising, with commas between them");
    }
    steps.push_back(*step);
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return steps;
}

}  // namespace

Schedule::Schedule() : options_(DefaultOptions<ScheduleOptions>()) {}

Result<Schedule> Schedule::Of(const ScheduleOptions& options) {
  Result<std::vector<std::int64_t>> steps = ParseSteps(options.steps);
  if (!steps.ok()) return steps.status();
  const bool is_multi = options.schedule == ScheduleOptions::kMultiFactor;
  if (is_multi == steps.value().empty())
    return Status::InvalidArgument("steps belong to schedule=multifactor, and it needs some");
  const bool has_end =
      options.schedule == ScheduleOptions::kPoly || options.schedule == ScheduleOptions::kCosine;
  if (has_end && options.max_update <= options.warmup_steps)
    return Status::InvalidArgument("max_update must be above warmup_steps");
  Schedule schedule;
  schedule.options_ = options;
  schedule.steps_ = std::move(steps).value();
  return schedule;
}

double Schedule::At(std::int64_t number, double base) const {
  constexpr double kPi = 3.14159265358979323846;
  if (number < options_.warmup_steps) return WarmUp(number, base);
  const double above = base - options_.final_lr;
  switch (options_.schedule) {
    case ScheduleOptions::kFactor: {
      const std::int64_t drops = number < 1 ? 0 : (number - 1) / options_.step;
      return drops == 0 ? base
                        : std::max<double>(options_.stop_factor_lr, base * std::pow(options_.factor, drops));
    }
    case ScheduleOptions::kMultiFactor: {
      const auto drops = std::lower_bound(steps_.begin(), steps_.end(), number) - steps_.begin();
      return base * std::pow(options_.factor, drops);
    }
    case ScheduleOptions::kPoly:
      return options_.final_lr + above * std::pow(1 - Progress(number), options_.power);
    case ScheduleOptions::kCosine:
      return options_.final_lr + above * (1 + std::cos(kPi * Progress(number))) / 2;
    default: return base;
  }
}

double Schedule::WarmUp(std::int64_t number, double base) const {
  const double begin = options_.warmup_begin_lr;
  if (options_.warmup_mode == ScheduleOptions::kConstant) return begin;
  return begin + (base - begin) * static_cast<double>(number) / options_.warmup_steps;
}

double Schedule::Progress(std::int64_t number) const {
  const double done = static_cast<double>(number - options_.warmup_steps);
  return std::min(1.0, done / (options_.max_update - options_.warmup_steps));
}

}  // namespace ps

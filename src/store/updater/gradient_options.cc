#include "store/updater/gradient_options.h"

namespace ps {

DMLC_REGISTER_PARAMETER(GradientOptions);

Status SharedOptions::Set(const std::string& updater, const UpdaterOptions& options, OptionGroup own) {
  ScheduleOptions schedule_options = schedule.options();
  PS_RETURN_IF_ERROR(
      SetOptions(updater, options, {own, OptionGroup::Of(&gradient), OptionGroup::Of(&schedule_options)}));
  Result<Schedule> made = Schedule::Of(schedule_options);
  if (!made.ok()) return Status::InvalidArgument("updater '" + updater + "': " + made.status().message());
  schedule = std::move(made).value();
  return Status::Ok();
}

}  // namespace ps

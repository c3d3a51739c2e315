#include "store/table_rule.h"

#include <algorithm>
#include <utility>

namespace ps {

TableSpec TableRule::In(const TableSpec& spec) const {
  TableSpec with = spec;
  with.updater = choice.name;
  with.updater_options = choice.options;
  with.multi_precision = multi_precision;
  return with;
}

Result<std::unique_ptr<Updater>> TableRule::Make(const TableSpec& spec, int num_workers,
                                                 std::shared_ptr<const UpdaterHost> host) const {
  PS_RETURN_IF_ERROR(In(spec).Validate());
  auto updater =
      MakeUpdater(choice.name, choice.options, {MasterOf(spec.dtype), num_workers, std::move(host)});
  PS_RETURN_IF_ERROR(updater.status());
  for (const UpdaterOptions& options : since) PS_RETURN_IF_ERROR(updater.value()->Configure(options));
  return updater;
}

// Sets that the new one replaces go, and it joins the set before: where that gives a rule. It does not where
// one option is set by both of its names, or others were right only upon what would go.
Status TableRule::Set(const UpdaterOptions& options, const TableSpec& spec, int num_workers) {
  if (options.empty()) return Status::Ok();
  TableRule set = *this;
  set.since.push_back(options);
  PS_RETURN_IF_ERROR(set.Make(spec, num_workers).status());
  const auto is_named = [&options](const auto& option) { return options.count(option.first) != 0; };
  const auto is_replaced = [&is_named](const UpdaterOptions& before) {
    return std::all_of(before.begin(), before.end(), is_named);
  };
  TableRule fewer = set;
  const auto last = fewer.since.end() - 1;
  fewer.since.erase(std::remove_if(fewer.since.begin(), last, is_replaced), last);
  if (fewer.Make(spec, num_workers).ok()) set = std::move(fewer);
  if (set.since.size() > 1) {
    TableRule joined = set;
    joined.since.pop_back();
    for (const auto& [name, value] : options) joined.since.back()[name] = value;
    if (joined.Make(spec, num_workers).ok()) set = std::move(joined);
  }
  *this = std::move(set);
  return Status::Ok();
}

}  // namespace ps

#include "model/key_spec.h"

#include <algorithm>
#include <limits>

#include "model/model_rule.h"

namespace ps {
namespace {

// What SetParam has said goes over an option of SetUpdater, of either kind of rule.

// Rules of the registry have options of their own, and refuse what they do not know: the model's parameters
// are not for them.
UpdaterOptions OptionsOf(const ModelSettings& settings) {
  UpdaterOptions options = settings.updater->options;
  for (const auto& [name, value] : settings.for_updater) {
    if (!ModelSettings::IsKnown(name)) options[name] = value;
  }
  return options;
}

UpdaterOptions EncodedOptions(const std::string& model, const Group::Key& key,
                              const ModelSettings& settings) {
  ModelKeyOptions options;
  options.model = model;
  options.key = key.key;
  options.shape = key.shape;
  options.params = settings.for_updater;
  for (const auto& option : settings.updater->options) {
    const auto is_it = [&option](const auto& param) { return param.first == option.first; };
    const auto& said = settings.for_updater;
    if (std::none_of(said.begin(), said.end(), is_it)) options.params.push_back(option);
  }
  return options.Encode();
}

}  // namespace

TableSpec KeySpec(const std::string& model, const Group::Key& key, const ModelSettings& settings,
                  bool is_local) {
  TableSpec spec;
  spec.name = "sm/" + model + "/" + std::to_string(key.key);
  spec.dtype = key.dtype;
  if (!is_local) spec.consistency = settings.consistency;
  const bool is_bsp = spec.consistency.mode == Consistency::kBsp;
  spec.apply = is_bsp ? TableSpec::kMerged : TableSpec::kEach;
  spec.mean = is_bsp && settings.mean;
  if (!settings.updater) {
    spec.updater = is_bsp ? "assign" : "add";
  } else {
    spec.updater = settings.updater->name;
    spec.updater_options =
        IsModelUpdater(spec.updater) ? EncodedOptions(model, key, settings) : OptionsOf(settings);
  }
  const std::int64_t size = key.shape.at(0) * key.shape.at(1);
  spec.min_split = is_local ? std::numeric_limits<std::int64_t>::max() : settings.bigarray_bound - 1;
  if (size <= spec.min_split) {
    spec.rows = 1;  // one run of elements on one server
    spec.width = size;
  } else {
    spec.rows = size;  // any cut is fine
  }
  return spec;
}

}  // namespace ps

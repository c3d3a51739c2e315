#include "kvstore/optimizer.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <utility>

namespace ps {
namespace {

// Takes an option out of those of the rule; empty if it is not there.
std::string Take(UpdaterOptions* options, const char* name) {
  const auto found = options->find(name);
  if (found == options->end()) return "";
  std::string value = std::move(found->second);
  options->erase(found);
  return value;
}

Status TakeFlag(UpdaterOptions* options, const char* name, bool* flag) {
  const std::string value = Take(options, name);
  if (value.empty() || value == "0" || value == "false" || value == "False") return Status::Ok();
  *flag = value == "1" || value == "true" || value == "True";
  if (*flag) return Status::Ok();
  return Status::InvalidArgument(std::string("optimizer: ") + name + "=" + value + ": it is 0 or 1");
}

bool IsZero(const std::string& number) {
  return std::all_of(number.begin(), number.end(), [](char c) { return c == '0' || c == '.'; });
}

Status TakeSparse(UpdaterOptions* options, bool* is_exact) {
  const std::string value = Take(options, "sparse");
  *is_exact = value == "exact";
  if (value.empty() || value == "lazy" || *is_exact) return Status::Ok();
  return Status::InvalidArgument("optimizer: sparse=" + value + ": it is lazy or exact");
}

}  // namespace

Result<Optimizer> ParseOptimizer(std::string_view text) {
  Result<UpdaterChoice> choice = ParseUpdater(text);
  PS_RETURN_IF_ERROR(choice.status());
  Optimizer optimizer;
  optimizer.choice = std::move(choice).value();
  std::string& name = optimizer.choice.name;
  UpdaterOptions& options = optimizer.choice.options;
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  PS_RETURN_IF_ERROR(TakeFlag(&options, "multi_precision", &optimizer.multi_precision));
  PS_RETURN_IF_ERROR(TakeSparse(&options, &optimizer.is_exact));
  if (name == "sgd") {
    const auto momentum = options.find("momentum");
    if (momentum != options.end() && IsZero(momentum->second)) options.erase(momentum);
    if (options.count("momentum") != 0) name = "momentum";
    if (options.count("lr") == 0 && options.count("learning_rate") == 0) options["lr"] = "0.1";
  } else if (name == "rmsprop") {
    bool is_centered = false;
    PS_RETURN_IF_ERROR(TakeFlag(&options, "centered", &is_centered));
    if (is_centered) name = "rmsprop_centered";
  }
  return optimizer;
}

}  // namespace ps

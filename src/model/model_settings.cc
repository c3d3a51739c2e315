#include "model/model_settings.h"

#include <algorithm>
#include <limits>
#include <set>
#include <string_view>

#include "base/config_rules.h"
#include "base/parse.h"
#include "ps/config.h"

namespace ps {
namespace {

constexpr std::string_view kPushOp = "push_op[";
constexpr std::string_view kMessages = "msg:";
constexpr int kMostThreads = 1024;
constexpr std::int64_t kMostElements = std::numeric_limits<std::int64_t>::max() / 16;

Status Bad(const std::string& name, const std::string& value, const std::string& allowed) {
  return Status::InvalidArgument("parameter " + name + ": '" + value + "' is not known: use " + allowed);
}

Status SetFlag(const std::string& name, const std::string& value, bool* flag) {
  if (value != "0" && value != "1") return Bad(name, value, "0 or 1");
  *flag = value == "1";
  return Status::Ok();
}

Status SetThreads(const std::string& name, const std::string& value, bool* is_one) {
  if (value != "ndev" && value != "one") return Bad(name, value, "ndev or one");
  *is_one = value == "one";
  return Status::Ok();
}

template <typename T>
Status SetNumber(const std::string& name, const std::string& value, std::int64_t most, T* number) {
  const std::optional<std::int64_t> parsed = ParseInteger(value, 1, most);
  if (!parsed) return Bad(name, value, "a whole number from 1 to " + std::to_string(most));
  *number = static_cast<T>(*parsed);
  return Status::Ok();
}

Status SetMode(const std::string& value, Consistency* consistency) {
  constexpr std::string_view kSsp = "ssp:";
  if (value == "asp") {
    *consistency = Consistency::Asp();
  } else if (value == "bsp") {
    *consistency = Consistency::Bsp();
  } else {
    const bool is_ssp = value.compare(0, kSsp.size(), kSsp) == 0;
    const auto bound = is_ssp ? ParseInteger(value.substr(kSsp.size()), 0, 1000000) : std::nullopt;
    if (!bound) return Bad("mode", value, "asp, bsp or ssp:<bound>");
    *consistency = Consistency::Ssp(static_cast<int>(*bound));
  }
  return Status::Ok();
}

Status SetPushOp(const std::string& name, int key, const std::string& value,
                 std::map<int, MergeKind>* push_ops) {
  if (value == "sum") {
    push_ops->erase(key);
  } else if (value == "mean") {
    (*push_ops)[key] = MergeKind::kMean;
  } else if (value == "gather") {
    (*push_ops)[key] = MergeKind::kGather;
  } else {
    return Bad(name, value, "sum, mean or gather");
  }
  return Status::Ok();
}

Status CheckDevices(const std::vector<int>& devices) {
  if (devices.empty()) return Status::InvalidArgument("a model has devices: Init got none");
  std::set<int> seen;
  for (const int device : devices) {
    const std::string name = "device " + std::to_string(device);
    if (device < 0) return Status::InvalidArgument(name + ": devices are numbers from 0 on");
    if (!seen.insert(device).second) return Status::InvalidArgument(name + " is named twice");
  }
  return Status::Ok();
}

}  // namespace

Result<ModelType> ModelTypeNamed(const std::string& name) {
  if (name == "local") return ModelType::kLocal;
  if (name == "dist") return ModelType::kDist;
  if (name == "allreduce") return ModelType::kAllreduce;
  return Status::InvalidArgument("there is no SharedModel of type '" + name +
                                 "': use local, dist or allreduce");
}

std::optional<int> ModelSettings::PushOpKey(const std::string& name) {
  if (name.compare(0, kPushOp.size(), kPushOp) != 0 || name.back() != ']') return std::nullopt;
  const auto key = ParseInteger(name.substr(kPushOp.size(), name.size() - kPushOp.size() - 1),
                                std::numeric_limits<int>::min(), std::numeric_limits<int>::max());
  return key ? std::make_optional(static_cast<int>(*key)) : std::nullopt;
}

bool ModelSettings::IsKnown(const std::string& name) {
  static const std::set<std::string> names = {
      "update_on_server", "test_on_server", "reduce_thread", "bigarray_bound", "use_pin_memory",
      "push_thread",      "pull_thread",    "mode",          "scale",          "rounds"};
  return names.count(name) != 0 || name.compare(0, kMessages.size(), kMessages) == 0 ||
         name.compare(0, 7, "push_op") == 0;
}

MergeKind ModelSettings::MergeOf(int key) const {
  const auto found = push_ops.find(key);
  return found == push_ops.end() ? MergeKind::kSum : found->second;
}

Status ModelSettings::Set(const std::string& name, const std::string& value) {
  if (const std::optional<int> key = PushOpKey(name)) return SetPushOp(name, *key, value, &push_ops);
  if (name.compare(0, 7, "push_op") == 0)
    return Status::InvalidArgument("parameter " + name + ": use push_op[<key>], with a number for the key");
  if (name == "msg:disable_allreduce") return SetFlag(name, value, &disable_allreduce);
  if (name.compare(0, kMessages.size(), kMessages) == 0) return Status::Ok();
  Status done;
  bool pinned = false;  // always, where it helps
  if (name == "update_on_server") done = SetFlag(name, value, &update_on_server);
  if (name == "test_on_server") done = SetFlag(name, value, &test_on_server);
  if (name == "use_pin_memory") done = SetFlag(name, value, &pinned);
  if (name == "push_thread") done = SetThreads(name, value, &one_push_thread);
  if (name == "pull_thread") done = SetThreads(name, value, &one_pull_thread);
  if (name == "reduce_thread") done = SetNumber(name, value, kMostThreads, &reduce_threads);
  if (name == "bigarray_bound") done = SetNumber(name, value, kMostElements, &bigarray_bound);
  if (name == "rounds") done = SetNumber(name, value, 1000000, &rounds);
  if (name == "mode") done = SetMode(value, &consistency);
  if (name == "scale" && value != "sum" && value != "mean") done = Bad(name, value, "sum or mean");
  PS_RETURN_IF_ERROR(done);
  if (name == "scale") mean = value == "mean";
  const auto is_it = [&name](const auto& set) { return set.first == name; };
  const auto before = std::find_if(for_updater.begin(), for_updater.end(), is_it);
  if (before != for_updater.end()) for_updater.erase(before);
  for_updater.emplace_back(name, value);
  return Status::Ok();
}

Status ModelSettings::CheckGather(ModelType type, int key) const {
  if (type != ModelType::kDist && !update_on_server && !test_on_server) return Status::Ok();
  return Status::InvalidArgument("push_op[" + std::to_string(key) +
                                 "]=gather is for models without an updater: what devices gather is no step "
                                 "for the key's value");
}

Status ModelSettings::Check(ModelType type, const std::vector<int>& devices) const {
  PS_RETURN_IF_ERROR(CheckDevices(devices));
  const bool updates = update_on_server || test_on_server;
  if (updates && !updater)
    return Status::InvalidArgument(std::string(update_on_server ? "update_on_server=1" : "test_on_server=1") +
                                   " needs an updater: call SetUpdater before Init");
  if (type == ModelType::kDist && test_on_server)
    return Status::InvalidArgument(
        "test_on_server=1 compares with an updater in this process, which the servers of type dist are not: "
        "use type local or allreduce");
  if (type == ModelType::kDist && mean && consistency.mode != Consistency::kBsp)
    return Status::InvalidArgument(
        "scale=mean: without rounds of all workers there is nothing to take the mean of: set mode=bsp");
  if (type == ModelType::kAllreduce && disable_allreduce)
    return Status::InvalidArgument("type allreduce, and msg:disable_allreduce=1: one of them has to go");
  for (const auto& [key, merge] : push_ops) {
    if (merge == MergeKind::kGather) PS_RETURN_IF_ERROR(CheckGather(type, key));
  }
  return Status::Ok();
}

Result<ModelEnvironment> ModelEnvironment::Read(const Environment& environment) {
  ModelEnvironment read;
  const char* const force = environment.find("PS_FORCE_STREAM");
  const std::string flag = force == nullptr ? "" : force;
  if (!flag.empty() && flag != "0" && flag != "1")
    return Fault("PS_FORCE_STREAM", flag, "a switch", "0 or 1");
  read.force_stream = flag == "1";
  const char* const time = environment.find("PS_BARRIER_TIMEOUT");
  read.barrier_timeout_ms = Config().barrier_timeout_ms;
  if (time == nullptr || *time == '\0') return read;
  const std::optional<std::int64_t> ms = ParseSeconds(time, kMaxTimeMs);
  if (!ms) return TimeFault("PS_BARRIER_TIMEOUT", time);
  read.barrier_timeout_ms = *ms;
  return read;
}

}  // namespace ps

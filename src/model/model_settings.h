#ifndef PS_MODEL_MODEL_SETTINGS_H_
#define PS_MODEL_MODEL_SETTINGS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "group/merge.h"
#include "ps/environment.h"
#include "ps/status.h"
#include "ps/table_spec.h"

namespace ps {

// Where merged values go.
enum class ModelType : std::uint8_t { kLocal, kDist, kAllreduce };
// kInvalidArgument lists the names.
Result<ModelType> ModelTypeNamed(const std::string& name);

// What SharedModel::SetParam and SetUpdater have said. A plain value; pure.
struct ModelSettings {
  bool update_on_server = false;
  bool test_on_server = false;
  int reduce_threads = 8;
  std::int64_t bigarray_bound = 1000000;
  bool one_push_thread = false;
  bool one_pull_thread = false;
  bool disable_allreduce = false;
  Consistency consistency;  // asp
  bool mean = false;
  int rounds = 2;
  std::map<int, MergeKind> push_ops;  // of keys that are not summed
  // All of them, and what is the updater's alone, in the order they were set, each once.
  std::vector<std::pair<std::string, std::string>> for_updater;
  std::optional<UpdaterChoice> updater;

  // kInvalidArgument: a value that can not be says which can.
  Status Set(const std::string& name, const std::string& value);
  // The key whose push_op is set by a parameter of this name; nothing: it is another parameter.
  static std::optional<int> PushOpKey(const std::string& name);
  // Whether `name` is one of SharedModel's, of whatever value.
  static bool IsKnown(const std::string& name);
  MergeKind MergeOf(int key) const;
  // kInvalidArgument: what does not go together, and with these devices.
  Status Check(ModelType type, const std::vector<int>& devices) const;
  // The same for a key that is gathered.
  Status CheckGather(ModelType type, int key) const;
};

// What variables say. A plain value.
struct ModelEnvironment {
  bool force_stream = false;            // PS_FORCE_STREAM
  std::int64_t barrier_timeout_ms = 0;  // PS_BARRIER_TIMEOUT
  // kInvalidArgument names a variable, its value and what is allowed.
  static Result<ModelEnvironment> Read(const Environment& environment);
};

}  // namespace ps

#endif  // PS_MODEL_MODEL_SETTINGS_H_

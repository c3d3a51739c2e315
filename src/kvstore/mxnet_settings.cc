#include "kvstore/mxnet_settings.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "base/log.h"
#include "base/parse.h"
#include "ps/environment.h"

namespace ps {
namespace {

constexpr std::string_view kPrefix = "MXNET_KVSTORE_";
constexpr const char* kBound = "MXNET_KVSTORE_BIGARRAY_BOUND";
constexpr const char* kSlice = "MXNET_KVSTORE_SLICE_THRESHOLD";
constexpr const char* kThreads = "MXNET_KVSTORE_REDUCTION_NTHREADS";
constexpr const char* kUpdate = "MXNET_UPDATE_ON_KVSTORE";

// An empty text counts as unset.
template <typename T>
Status ReadNumber(const Environment& environment, const char* name, std::int64_t max,
                  std::optional<T>* number) {
  const char* const text = environment.find(name);
  if (text == nullptr || *text == '\0') return Status::Ok();
  const std::optional<std::int64_t> value = ParseInteger(text, 1, max);
  if (!value)
    return Status::InvalidArgument(std::string(name) + "=\"" + text + "\" is no whole number from 1 to " +
                                   std::to_string(max));
  *number = static_cast<T>(*value);
  return Status::Ok();
}

Status ReadFlag(const Environment& environment, const char* name, bool* flag) {
  const char* const text = environment.find(name);
  if (text == nullptr || *text == '\0') return Status::Ok();
  const std::string_view value = text;
  if (value != "0" && value != "1")
    return Status::InvalidArgument(std::string(name) + "=\"" + text + "\" is neither 0 nor 1");
  *flag = value == "1";
  return Status::Ok();
}

void TellOfOthers(const Environment& environment) {
  static std::atomic<bool> was_told{false};
  std::string others;
  for (const std::string& name : environment.Names()) {
    if (name.compare(0, kPrefix.size(), kPrefix) == 0 && name != kBound && name != kSlice && name != kThreads)
      others += (others.empty() ? "" : ", ") + name;
  }
  if (!others.empty() && !was_told.exchange(true))
    PS_LOG(kWarning, "", others << ": set, and without effect here");
}

}  // namespace

Result<MxnetSettings> MxnetSettings::Read(const Environment& environment) {
  MxnetSettings settings;
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max() / 8;
  PS_RETURN_IF_ERROR(ReadNumber(environment, kBound, kMost, &settings.bigarray_bound));
  PS_RETURN_IF_ERROR(ReadNumber(environment, kSlice, kMost, &settings.slice_elements));
  PS_RETURN_IF_ERROR(ReadNumber(environment, kThreads, 1024, &settings.num_threads));
  PS_RETURN_IF_ERROR(ReadFlag(environment, kUpdate, &settings.update_on_kvstore));
  TellOfOthers(environment);
  return settings;
}

MxnetSettings MxnetSettings::Get() { return Read(*Environment::Get()).value(); }

}  // namespace ps

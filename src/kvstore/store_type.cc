#include "kvstore/store_type.h"

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/parse.h"

namespace ps {
namespace {

struct Named {
  const char* name;
  StoreType type;
};

constexpr bool kDistributed = true;
constexpr bool kOnDevice = true;

const Named kTypes[] = {
    {"local", {}},
    {"local_update_cpu", {}},
    {"local_allreduce_cpu", {}},
    {"device", {false, kOnDevice, false, Consistency::Bsp()}},
    {"local_allreduce_device", {false, kOnDevice, false, Consistency::Bsp()}},
    {"nccl", {false, kOnDevice, true, Consistency::Bsp()}},
    {"dist", {kDistributed, false, false, Consistency::Bsp()}},
    {"dist_sync", {kDistributed, false, false, Consistency::Bsp()}},
    {"dist_device", {kDistributed, kOnDevice, false, Consistency::Bsp()}},
    {"dist_device_sync", {kDistributed, kOnDevice, false, Consistency::Bsp()}},
    {"dist_sync_device", {kDistributed, kOnDevice, false, Consistency::Bsp()}},
    {"dist_async", {kDistributed, false, false, Consistency::Asp()}},
    {"dist_device_async", {kDistributed, kOnDevice, false, Consistency::Asp()}},
    {"dist_async_device", {kDistributed, kOnDevice, false, Consistency::Asp()}},
};

constexpr std::string_view kSsp = "dist_ssp:";
constexpr std::string_view kDeviceSsp = "dist_device_ssp:";

Result<StoreType> ParseSsp(const std::string& name, std::string_view prefix) {
  const std::string bound = name.substr(prefix.size());
  const std::optional<std::int64_t> rounds = ParseInteger(bound, 0, 1000000);
  if (!rounds)
    return Status::InvalidArgument("KVStore type '" + name + "': the bound '" + bound +
                                   "' is no number of rounds from 0 to 1000000");
  return StoreType{kDistributed, prefix == kDeviceSsp, false, Consistency::Ssp(static_cast<int>(*rounds))};
}

}  // namespace

Result<StoreType> ParseStoreType(const std::string& name, const std::string& registered) {
  for (const Named& known : kTypes) {
    if (name == known.name) return known.type;
  }
  for (const std::string_view prefix : {kSsp, kDeviceSsp}) {
    if (name.compare(0, prefix.size(), prefix) == 0) return ParseSsp(name, prefix);
  }
  std::string all;
  for (const Named& known : kTypes) all += std::string(known.name) + ", ";
  return Status::InvalidArgument("KVStore type '" + name + "' is unknown; there are " + all +
                                 "dist_ssp:<bound>, dist_device_ssp:<bound>" + registered);
}

}  // namespace ps

#ifndef PS_KVSTORE_MXNET_SETTINGS_H_
#define PS_KVSTORE_MXNET_SETTINGS_H_

#include <cstdint>
#include <optional>

#include "ps/status.h"

namespace ps {

class Environment;

// What MXNet's variables say where they are set, for programs that come from there. A plain value.
struct MxnetSettings {
  std::optional<std::int64_t> bigarray_bound;  // MXNET_KVSTORE_BIGARRAY_BOUND, elements
  std::optional<std::int64_t> slice_elements;  // MXNET_KVSTORE_SLICE_THRESHOLD, elements
  std::optional<int> num_threads;              // MXNET_KVSTORE_REDUCTION_NTHREADS
  bool update_on_kvstore = true;               // MXNET_UPDATE_ON_KVSTORE

  // Other names that begin with MXNET_KVSTORE_ are told of once per process. kInvalidArgument names a
  // variable, its value and what is allowed.
  static Result<MxnetSettings> Read(const Environment& environment);
  // Those of the process. Throws Error.
  static MxnetSettings Get();
};

}  // namespace ps

#endif  // PS_KVSTORE_MXNET_SETTINGS_H_

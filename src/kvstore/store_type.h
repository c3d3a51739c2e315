#ifndef PS_KVSTORE_STORE_TYPE_H_
#define PS_KVSTORE_STORE_TYPE_H_

#include <string>

#include "ps/status.h"
#include "ps/table_spec.h"

namespace ps {

// What the name of a type of store says. A plain value.
struct StoreType {
  bool is_distributed = false;
  bool on_device = false;  // the devices of a process are merged on a device
  bool is_nccl = false;
  Consistency consistency = Consistency::Bsp();

  bool is_synchronous() const { return consistency.mode == Consistency::kBsp; }
};

// `name` in lower case. kInvalidArgument lists the names, and those of `registered`.
Result<StoreType> ParseStoreType(const std::string& name, const std::string& registered);

}  // namespace ps

#endif  // PS_KVSTORE_STORE_TYPE_H_

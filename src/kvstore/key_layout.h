#ifndef PS_KVSTORE_KEY_LAYOUT_H_
#define PS_KVSTORE_KEY_LAYOUT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "kvstore/compression.h"
#include "kvstore/key_space.h"
#include "kvstore/store_type.h"
#include "ps/status.h"
#include "ps/table_spec.h"
#include "ps/tensor.h"
#include "ps/updater.h"

namespace ps {

// What all keys of a store have in common.
struct KeyPlan {
  StoreType type;
  bool mean = false;
  std::int64_t bigarray_bound = 1000000;  // elements from which a key is spread over the servers
  std::int64_t slice_bytes = 0;           // 0: dense keys are not cut
  Compression compression;
  // The optimizer looks at a key as a whole: then the key is made for it, whole.
  bool keeps_whole = false;
  UpdaterChoice optimizer;
};

// The tables that a key is made of: one, or, cut into slices, several, each on one server. The same on all
// nodes, from the key's shape and the plan alone. A plain value.
struct KeyLayout {
  // Of larger keys the slices are larger.
  static constexpr std::size_t kMaxSlices = 256;

  Shape shape;
  DType dtype = DType::kF32;
  bool is_row_sparse = false;
  std::vector<TableSpec> tables;
  std::vector<std::size_t> begins;  // in elements: where each table's part begins

  std::int64_t num_rows() const { return shape.empty() ? 1 : shape.front(); }
  std::size_t row_bytes() const;  // of a row-sparse key
};

// `value`: the key's first one. kInvalidArgument names the key: no elements, a row-sparse key of a dtype or a
// compression that is not for it.
Result<KeyLayout> PlanKey(const KeySpace& space, const KVKey& key, const Tensor& value, const KeyPlan& plan);

}  // namespace ps

#endif  // PS_KVSTORE_KEY_LAYOUT_H_

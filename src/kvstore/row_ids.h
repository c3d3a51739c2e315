#ifndef PS_KVSTORE_ROW_IDS_H_
#define PS_KVSTORE_ROW_IDS_H_

#include <cstdint>
#include <vector>

#include "ps/status.h"
#include "ps/tensor.h"

namespace ps {

// The rows that a tensor of ids, of any shape, names: ascending, each once. Integers, or floats that are
// whole numbers below 2^24. kInvalidArgument: another type, a fraction, a row that is not in [0, num_rows).
// Waits for what writes the tensor; throws what that throws.
Result<std::vector<std::uint64_t>> ReadRowIds(const Tensor& ids, std::int64_t num_rows);

}  // namespace ps

#endif  // PS_KVSTORE_ROW_IDS_H_

#ifndef PS_DEVICE_ROW_PLAN_H_
#define PS_DEVICE_ROW_PLAN_H_

#include <cstddef>
#include <cstdint>

namespace ps {

// Which rows of a matrix.
struct RowPlan {
  const std::int64_t* ids;  // each in [0, num_rows)
  std::size_t count;        // of them
  std::size_t width;        // elements of a row
  std::int64_t num_rows;    // of the matrix
};

}  // namespace ps

#endif  // PS_DEVICE_ROW_PLAN_H_

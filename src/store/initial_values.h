#ifndef PS_STORE_INITIAL_VALUES_H_
#define PS_STORE_INITIAL_VALUES_H_

#include <cstddef>
#include <cstdint>

#include "ps/dtype.h"
#include "ps/table_spec.h"

namespace ps {

// What elements are before anything was written: a function of the spec, the row (or key) and the column
// alone, so that it does not matter which server has the row, how many there are, or when it is asked.
// Immutable.
class InitialValues {
 public:
  // `dtype`: of the elements that are made, a master's (MasterOf).
  InitialValues(const Init& init, DType dtype, std::size_t width);

  // All bytes are 0, as fresh memory is. Init::FirstWrite begins so, too.
  bool are_zero() const { return are_zero_; }
  // The elements of `num_rows` rows from `first_row` on.
  void Fill(std::uint64_t first_row, std::size_t num_rows, void* to) const;

 private:
  const Init init_;
  const DType dtype_;
  const std::size_t width_;
  const bool are_zero_;
};

}  // namespace ps
#endif  // PS_STORE_INITIAL_VALUES_H_

// Loops over elements of any dtype, as the shards need them.
#ifndef PS_STORE_ELEMENTS_H_
#define PS_STORE_ELEMENTS_H_

#include <cstddef>
#include <cstdint>

#include "ps/dtype.h"
#include "store/row_set.h"

namespace ps {

// to[i] += from[i]. Integers wrap around, bools are or-ed; 16-bit floats are added in f32 and rounded. The
// arrays do not overlap.
void AddElements(DType dtype, void* to, const void* from, std::size_t count);

// The same for rows of one element, from[i] to the one of rows[i], one after the other; `to` is that of
// `first_row`.
void AddToRows(DType dtype, void* to, std::uint64_t first_row, const RowSet& rows, const void* from);

// 16-bit floats to f32, exact; and back, to the nearest, ties to even.
void WidenElements(DType dtype, const void* from, float* to, std::size_t count);
void NarrowElements(DType dtype, const float* from, void* to, std::size_t count);

}  // namespace ps
#endif  // PS_STORE_ELEMENTS_H_

// Loops over elements of any dtype, as the shards need them.
#ifndef PS_STORE_ELEMENTS_H_
#define PS_STORE_ELEMENTS_H_

#include <cstddef>

#include "ps/dtype.h"

namespace ps {

// to[i] += from[i]. Integers wrap around, bools are or-ed; 16-bit floats are added in f32 and rounded. The
// arrays do not overlap.
void AddElements(DType dtype, void* to, const void* from, std::size_t count);

// The same for several places of `width` elements, one after the other, which may be the same.
void AddToPlaces(DType dtype, char* const* places, std::size_t num_places, std::size_t width,
                 const void* from);

// 16-bit floats to f32, exact; and back, to the nearest, ties to even.
void WidenElements(DType dtype, const void* from, float* to, std::size_t count);
void NarrowElements(DType dtype, const float* from, void* to, std::size_t count);

}  // namespace ps
#endif  // PS_STORE_ELEMENTS_H_

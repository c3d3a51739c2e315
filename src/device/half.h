// Arrays of 16-bit floats, converted at the speed of memory: with the processor's own instructions where it
// has them (F16C), with the same bits everywhere.
#ifndef PS_DEVICE_HALF_H_
#define PS_DEVICE_HALF_H_

#include <cstddef>

#include "ps/half.h"

namespace ps {

// `size` elements; the arrays do not overlap.
void Convert(const Half* from, std::size_t size, float* to);
void Convert(const float* from, std::size_t size, Half* to);
void Convert(const BFloat16* from, std::size_t size, float* to);
void Convert(const float* from, std::size_t size, BFloat16* to);

}  // namespace ps

#endif  // PS_DEVICE_HALF_H_

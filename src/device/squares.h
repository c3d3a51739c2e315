#ifndef PS_DEVICE_SQUARES_H_
#define PS_DEVICE_SQUARES_H_

#include <cstddef>

#include "ps/dtype.h"

namespace ps {

// The sum of the squares of an array of floats (of any dtype of them) in the processor's memory, in double,
// in an order that depends on its size alone.
double SumOfSquares(DType dtype, const void* values, std::size_t size);

}  // namespace ps

#endif  // PS_DEVICE_SQUARES_H_

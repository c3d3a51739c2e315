#ifndef PS_DEVICE_SHAPE_H_
#define PS_DEVICE_SHAPE_H_

#include <cstddef>
#include <string>

#include "ps/tensor.h"

namespace ps {

// `[2,3]`; of a single element `[]`.
std::string ToString(const Shape& shape);
// `f32 [2,3] on cpu:0`: what error texts say of an array.
std::string Describe(const TensorView& view);
// Bytes of an array. kInvalidArgument names a length below 0, a dtype that is none, and a product that no
// memory holds.
Result<std::size_t> BytesOfShape(const Shape& shape, DType dtype);

}  // namespace ps

#endif  // PS_DEVICE_SHAPE_H_

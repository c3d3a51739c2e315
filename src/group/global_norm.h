#ifndef PS_GROUP_GLOBAL_NORM_H_
#define PS_GROUP_GLOBAL_NORM_H_

#include <vector>

#include "ps/tensor.h"

namespace ps {

// The Euclidean norm of all elements of some tensors together: f32, f64, f16 or bf16, on any devices; of
// row-sparse ones, of their rows. Summed in double, tensor by tensor, in an order that depends on their sizes
// alone. Waits for what writes them. Throws Error: kInvalidArgument, another dtype, named by place.
double GlobalNorm(const std::vector<Tensor>& tensors);

// Makes a global norm above `max_norm` (> 0) equal to it, by one factor for all tensors, in place; the norm
// as it was. Throws Error: kInvalidArgument, also where the norm is not finite, which no factor mends: the
// tensors then stay as they are.
double ClipByGlobalNorm(std::vector<Tensor>* tensors, double max_norm);

}  // namespace ps

#endif  // PS_GROUP_GLOBAL_NORM_H_

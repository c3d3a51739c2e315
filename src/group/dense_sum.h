#ifndef PS_GROUP_DENSE_SUM_H_
#define PS_GROUP_DENSE_SUM_H_

#include <vector>

#include "group/resources.h"
#include "ps/tensor.h"

namespace ps {

// The sum of dense tensors of equal shape and dtype, at least one, in memory of its own on `owner`; done when
// it returns. The order is that of the kernel (device/kernels.h), whatever the devices. Throws Error.
Tensor SumDense(Resources* resources, const DeviceId& owner, const std::vector<Tensor>& values);

}  // namespace ps

#endif  // PS_GROUP_DENSE_SUM_H_

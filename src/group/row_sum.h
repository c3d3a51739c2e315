#ifndef PS_GROUP_ROW_SUM_H_
#define PS_GROUP_ROW_SUM_H_

#include <vector>

#include "group/resources.h"
#include "ps/tensor.h"

namespace ps {

// The sum of row-sparse tensors of equal shape and dtype, at least one, in memory of its own on `owner`; done
// when it returns. It has every row that one of them has; rows are added in the order of the tensors, from
// zero on. Throws Error.
Tensor SumRows(Resources* resources, const DeviceId& owner, const std::vector<Tensor>& values);

}  // namespace ps

#endif  // PS_GROUP_ROW_SUM_H_

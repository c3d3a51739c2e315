#ifndef PS_GROUP_BROADCAST_H_
#define PS_GROUP_BROADCAST_H_

#include <cstddef>
#include <vector>

#include "group/resources.h"
#include "ps/tensor.h"

namespace ps {

// Copies a dense tensor to dense tensors of its shape, on any devices, converted to their dtypes (once for
// each dtype and device that it has to leave for). Done when it returns. Waits for what writes `from`, and
// for work on the streams of foreign memory; not for what else writes `to`. The copies to devices begin with
// the `first` one, modulo their number, so that different keys begin with different devices. Throws Error:
// kInvalidArgument names what does not fit, before anything is copied.
void CopyToAll(Resources* resources, const Tensor& from, const std::vector<Tensor>& to, std::size_t first);

}  // namespace ps

#endif  // PS_GROUP_BROADCAST_H_

#ifndef PS_GROUP_NCCL_SUM_H_
#define PS_GROUP_NCCL_SUM_H_

#include <memory>
#include <vector>

#include "base/mutex.h"
#include "device/nccl_group.h"
#include "group/resources.h"
#include "ps/tensor.h"

namespace ps {

// Sums of one set of CUDA devices by NCCL. Any thread.
class NcclSum {
 public:
  explicit NcclSum(Resources* resources) : resources_(resources) {}

  // The sum of dense tensors of equal shape and dtype, one on each of the devices that came first, on the
  // first of them; done when it returns. Throws Error: kInvalidArgument (another set of devices, one that is
  // not CUDA's, a row-sparse tensor), kUnavailable.
  Tensor Sum(const std::vector<Tensor>& values);

 private:
  NcclGroup* GroupOf(const std::vector<DeviceId>& devices) PS_REQUIRES(mutex_);

  Resources* const resources_;
  Mutex mutex_;  // held while work is handed to NCCL: it must come in one order
  std::vector<DeviceId> devices_ PS_GUARDED_BY(mutex_);
  std::unique_ptr<NcclGroup> group_ PS_GUARDED_BY(mutex_);
};

}  // namespace ps

#endif  // PS_GROUP_NCCL_SUM_H_

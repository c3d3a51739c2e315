// NcclGroup: sums and broadcasts among CUDA devices of this process, by NCCL.
#ifndef PS_DEVICE_NCCL_GROUP_H_
#define PS_DEVICE_NCCL_GROUP_H_

#include <memory>
#include <vector>

#include "ps/status.h"
#include "ps/stream.h"
#include "ps/tensor.h"

namespace ps {

// One set of devices. Calls return at once; the work is done on the streams, one of each device, in their
// order. One call at a time: two of one group, or of two groups that share devices, must come in one order.
class NcclGroup {
 public:
  virtual ~NcclGroup() = default;

  // The sum of `from`, one array of each device, goes to `to` on the first device. f32, f16, f64, u8, i32 and
  // i64; else kInvalidArgument, as when shapes differ. The order of the additions is NCCL's: sums of floats
  // may differ in the last bits from device/kernels.h's.
  virtual Status Reduce(const std::vector<Stream*>& streams, const TensorView& to,
                        const std::vector<TensorView>& from) = 0;
  // `from` on the first device goes to `to`, one array of each device (that of the first may be `from`).
  virtual Status Broadcast(const std::vector<Stream*>& streams, const std::vector<TensorView>& to,
                           const TensorView& from) = 0;
  // Several calls between the two travel together.
  virtual Status BeginBatch() = 0;
  virtual Status EndBatch() = 0;
};

// kUnavailable: this build has no CUDA or no NCCL (USE_NCCL), or libnccl.so.2 can not be loaded.
Result<std::unique_ptr<NcclGroup>> MakeNcclGroup(const std::vector<DeviceId>& devices);

}  // namespace ps

#endif  // PS_DEVICE_NCCL_GROUP_H_

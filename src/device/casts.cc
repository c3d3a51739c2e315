#include "device/casts.h"

#include "device/cpu_launch.h"
#include "device/cuda/cuda.h"
#include "device/kernels.h"

namespace ps {

Status Cast(Stream* stream, const TensorView& to, const TensorView& from) {
  if (to.size() != from.size()) {
    return Status::InvalidArgument("a cast of " + std::to_string(from.size()) + " elements to " +
                                   std::to_string(to.size()));
  }
  if (to.dtype == from.dtype) {
    stream->Copy(to.data, from.data, to.bytes());
    return Status::Ok();
  }
  if (stream->device().kind == DeviceId::kCuda) return cuda::Cast(stream, to, from);
  return LaunchCast(CpuLaunch(stream), to, from);
}

Status Fill(Stream* stream, const TensorView& to, double value) {
  if (stream->device().kind == DeviceId::kCuda) return cuda::Fill(stream, to, value);
  return LaunchFill(CpuLaunch(stream), to, value);
}

}  // namespace ps

#include "device/sums.h"

#include <algorithm>

#include "device/cpu_launch.h"
#include "device/cuda/cuda.h"
#include "device/kernels.h"

namespace ps {

Status Sum(Stream* stream, const TensorView& to, const std::vector<const void*>& from) {
  if (from.empty()) return Status::InvalidArgument("a sum of nothing");
  if (std::find(from.begin() + 1, from.end(), to.data) != from.end() && to.size() != 0)
    return Status::InvalidArgument("a sum can replace the first of its sources only");
  if (from.size() == 1) {
    if (from[0] != to.data) stream->Copy(to.data, from[0], to.bytes());
    return Status::Ok();
  }
  if (stream->device().kind == DeviceId::kCuda) return cuda::Sum(stream, to, from);
  return LaunchSum(CpuLaunch(stream), to, from);
}

Status Scale(Stream* stream, const TensorView& values, double factor) {
  if (stream->device().kind == DeviceId::kCuda) return cuda::Scale(stream, values, factor);
  return LaunchScale(CpuLaunch(stream), values, factor);
}

}  // namespace ps

#include "device/sums.h"

#include "device/cuda/cuda.h"
#include "device/cuda/cuda_launch.h"

namespace ps::cuda {

Status Sum(Stream* stream, const TensorView& to, const std::vector<const void*>& from) {
  return LaunchSum(CudaLaunch(stream), to, from);
}

Status Scale(Stream* stream, const TensorView& values, double factor) {
  return LaunchScale(CudaLaunch(stream), values, factor);
}

}  // namespace ps::cuda

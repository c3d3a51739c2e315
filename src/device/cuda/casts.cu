#include "device/casts.h"

#include "device/cuda/cuda.h"
#include "device/cuda/cuda_launch.h"

namespace ps::cuda {

Status Cast(Stream* stream, const TensorView& to, const TensorView& from) {
  return LaunchCast(CudaLaunch(stream), to, from);
}

Status Fill(Stream* stream, const TensorView& to, double value) {
  return LaunchFill(CudaLaunch(stream), to, value);
}

}  // namespace ps::cuda

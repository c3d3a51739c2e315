#include "device/updates.h"

#include "device/cuda/cuda.h"
#include "device/cuda/cuda_launch.h"

namespace ps::cuda {

Status Update(Stream* stream, const rules::ElementRule& rule, const TensorView& values,
              const float* contribution, const std::vector<float*>& states) {
  return LaunchUpdate(CudaLaunch(stream), rule, values, contribution, states);
}

}  // namespace ps::cuda

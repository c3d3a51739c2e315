#include "device/bits.h"

#include "device/cuda/cuda.h"
#include "device/cuda/cuda_launch.h"

namespace ps::cuda {

Status EncodeBits(Stream* stream, const BitRule& rule, const TensorView& gradient, float* residual,
                  const BitOutput& to) {
  return LaunchEncodeBits(CudaLaunch(stream), rule, gradient, residual, to);
}

Status DecodeAddBits(Stream* stream, const BitRule& rule, const std::uint8_t* codes,
                     const TensorView& values) {
  return LaunchDecodeAddBits(CudaLaunch(stream), rule, codes, values);
}

}  // namespace ps::cuda

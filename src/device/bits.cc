#include "device/bits.h"

#include <cmath>
#include <string>

#include "device/cpu_launch.h"
#include "device/cuda/cuda.h"
#include "device/pack_bits.h"

namespace ps {
namespace {

Status Check(const BitRule& rule, const TensorView& values) {
  if (values.dtype != DType::kF32) {
    return Status::InvalidArgument(std::string("codes of bits on a device are of f32, not of ") +
                                   NameOf(values.dtype));
  }
  if (rule.kind == BitRule::kTwoBit && !(rule.threshold > 0)) {
    return Status::InvalidArgument("codes of 2 bits: threshold must be greater than 0, not " +
                                   std::to_string(rule.threshold));
  }
  if (!std::isfinite(rule.threshold))
    return Status::InvalidArgument("codes of bits: threshold must be a number, not " +
                                   std::to_string(rule.threshold));
  return Status::Ok();
}

}  // namespace

std::size_t BytesOfBits(const BitRule& rule, std::size_t count) {
  return rule.kind == BitRule::kTwoBit ? PackedBytes<2>(count) : PackedBytes<1>(count);
}

Status EncodeBits(Stream* stream, const BitRule& rule, const TensorView& gradient, float* residual,
                  const BitOutput& to) {
  PS_RETURN_IF_ERROR(Check(rule, gradient));
  if (stream->device().kind == DeviceId::kCuda) return cuda::EncodeBits(stream, rule, gradient, residual, to);
  return LaunchEncodeBits(CpuLaunch(stream), rule, gradient, residual, to);
}

Status DecodeAddBits(Stream* stream, const BitRule& rule, const std::uint8_t* codes,
                     const TensorView& values) {
  PS_RETURN_IF_ERROR(Check(rule, values));
  if (stream->device().kind == DeviceId::kCuda) return cuda::DecodeAddBits(stream, rule, codes, values);
  return LaunchDecodeAddBits(CpuLaunch(stream), rule, codes, values);
}

}  // namespace ps

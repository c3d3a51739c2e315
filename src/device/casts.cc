#include "device/casts.h"

#include "device/cpu_launch.h"
#include "device/cuda/cuda.h"
#include "device/half.h"
#include "device/kernels.h"

namespace ps {
namespace {

// With the processor's own instructions, which give the same bits.
template <typename From, typename To>
Status ConvertOn(Stream* stream, const TensorView& to, const TensorView& from) {
  stream->Run([from = static_cast<const From*>(from.data), size = static_cast<std::size_t>(from.size()),
               to = static_cast<To*>(to.data)] { Convert(from, size, to); });
  return Status::Ok();
}

Status CastOnCpu(Stream* stream, const TensorView& to, const TensorView& from) {
  if (from.dtype == DType::kF32 && to.dtype == DType::kF16) return ConvertOn<float, Half>(stream, to, from);
  if (from.dtype == DType::kF32 && to.dtype == DType::kBF16)
    return ConvertOn<float, BFloat16>(stream, to, from);
  if (from.dtype == DType::kF16 && to.dtype == DType::kF32) return ConvertOn<Half, float>(stream, to, from);
  if (from.dtype == DType::kBF16 && to.dtype == DType::kF32)
    return ConvertOn<BFloat16, float>(stream, to, from);
  return LaunchCast(CpuLaunch(stream), to, from);
}

}  // namespace

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
  return CastOnCpu(stream, to, from);
}

Status Fill(Stream* stream, const TensorView& to, double value) {
  if (stream->device().kind == DeviceId::kCuda) return cuda::Fill(stream, to, value);
  return LaunchFill(CpuLaunch(stream), to, value);
}

}  // namespace ps

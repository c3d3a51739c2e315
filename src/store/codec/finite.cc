#include "store/codec/finite.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include "device/launch.h"
#include "store/codec/float_input.h"

namespace ps {
namespace {

// Infinity and NaN, and nothing else, are not 0 when they are multiplied by 0.
template <typename T>
struct AnyNotFinite {
  const T* values;
  const float* residual;  // null: none
  std::size_t count;
  T* result;  // the sum of their products with 0

  PS_ALWAYS_INLINE void operator()() const {
    constexpr std::size_t kLanes = 16;
    T sums[kLanes] = {};
    std::size_t i = 0;
    for (; i + kLanes <= count; i += kLanes) {
      for (std::size_t lane = 0; lane < kLanes; ++lane) sums[lane] += T{0} * Value(i + lane);
    }
    for (; i < count; ++i) sums[0] += T{0} * Value(i);
    T sum = 0;
    for (const T lane : sums) sum += lane;
    *result = sum;
  }
  PS_ALWAYS_INLINE T Value(std::size_t i) const {
    return residual == nullptr ? values[i] : values[i] + residual[i];
  }
};

template <typename T>
bool AllFinite(const T* values, const float* residual, std::size_t count) {
  T result = 0;
  RunWide(AnyNotFinite<T>{values, residual, count, &result});
  return result == 0;
}

template <typename T>
Status NameFirst(const T* values, const float* residual, std::size_t begin, std::size_t count) {
  std::size_t i = 0;
  const auto at = [&](std::size_t j) { return residual == nullptr ? values[j] : values[j] + residual[j]; };
  while (i < count && std::isfinite(at(i))) ++i;
  const bool is_value = !std::isfinite(values[i]);
  return Status::InvalidArgument("element " + std::to_string(begin + i) + " is " +
                                 std::to_string(is_value ? values[i] : at(i)) +
                                 (is_value ? "" : " with what was kept back of it") +
                                 ", which is not finite: this codec cannot carry it");
}

}  // namespace

Status CheckFiniteSums(DType dtype, const void* values, const float* residual, std::size_t count) {
  FloatInput input(values, dtype);
  for (std::size_t at = 0; at < count; at += FloatInput::kBlock) {
    const std::size_t size = std::min(FloatInput::kBlock, count - at);
    const float* const block = input.Block(at, size);
    const float* const kept = residual == nullptr ? nullptr : residual + at;
    if (!AllFinite(block, kept, size)) return NameFirst(block, kept, at, size);
  }
  return Status::Ok();
}

Status CheckFinite(DType dtype, const void* values, std::size_t count) {
  if (dtype != DType::kF64) return CheckFiniteSums(dtype, values, nullptr, count);
  const double* const doubles = static_cast<const double*>(values);
  if (AllFinite(doubles, nullptr, count)) return Status::Ok();
  return NameFirst(doubles, nullptr, 0, count);
}

Status CheckCompressible(const char* codec, DType dtype) {
  if (MasterOf(dtype) == DType::kF32) return Status::Ok();
  return Status::InvalidArgument(std::string("codec ") + codec + " is for f32, f16 and bf16, not " +
                                 NameOf(dtype));
}

}  // namespace ps

// DTypeOf: which DType a type of C++ is.
#ifndef PS_DTYPE_OF_H_
#define PS_DTYPE_OF_H_

#include <cstdint>
#include <type_traits>

#include "ps/dtype.h"
#include "ps/half.h"

namespace ps {
namespace internal {

// Of a whole number by its size: `long` and `long long` are both kI64 where both have 8 bytes.
template <typename T>
constexpr DType WholeDType() {
  static_assert(std::is_integral_v<T>, "no element type: a number, Half, BFloat16 or bool is");
  switch (sizeof(T)) {
    case 1: return std::is_signed_v<T> ? DType::kI8 : DType::kU8;
    case 2: return std::is_signed_v<T> ? DType::kI16 : DType::kU16;
    case 4: return std::is_signed_v<T> ? DType::kI32 : DType::kU32;
    default: return std::is_signed_v<T> ? DType::kI64 : DType::kU64;
  }
}

}  // namespace internal

// DTypeOf<float>::value is DType::kF32. Does not compile for what no array has as its elements.
template <typename T>
struct DTypeOf : std::integral_constant<DType, internal::WholeDType<T>()> {};
template <>
struct DTypeOf<float> : std::integral_constant<DType, DType::kF32> {};
template <>
struct DTypeOf<double> : std::integral_constant<DType, DType::kF64> {};
template <>
struct DTypeOf<Half> : std::integral_constant<DType, DType::kF16> {};
template <>
struct DTypeOf<BFloat16> : std::integral_constant<DType, DType::kBF16> {};
template <>
struct DTypeOf<bool> : std::integral_constant<DType, DType::kBool> {};

}  // namespace ps

#endif  // PS_DTYPE_OF_H_

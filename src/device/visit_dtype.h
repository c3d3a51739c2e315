// From a DType to the C++ type of its elements.
#ifndef PS_DEVICE_VISIT_DTYPE_H_
#define PS_DEVICE_VISIT_DTYPE_H_

#include <cstddef>
#include <cstdint>

#include "ps/dtype.h"
#include "ps/half.h"

namespace ps {

// What a visitor gets: `visitor(TypeOf<float>())`, whose parameter has the type as `typename P::Type`.
template <typename T>
struct TypeOf {
  using Type = T;
};

// Calls `visitor` with the type of a dtype in which arithmetic is done as it is, that is all but the 16-bit
// floats and bool; `otherwise()` for those. Both return the same type.
template <typename Visitor, typename Otherwise>
auto VisitArithmetic(DType dtype, const Visitor& visitor, const Otherwise& otherwise) {
  switch (dtype) {
    case DType::kF32: return visitor(TypeOf<float>());
    case DType::kF64: return visitor(TypeOf<double>());
    case DType::kI8: return visitor(TypeOf<std::int8_t>());
    case DType::kI16: return visitor(TypeOf<std::int16_t>());
    case DType::kI32: return visitor(TypeOf<std::int32_t>());
    case DType::kI64: return visitor(TypeOf<std::int64_t>());
    case DType::kU8: return visitor(TypeOf<std::uint8_t>());
    case DType::kU16: return visitor(TypeOf<std::uint16_t>());
    case DType::kU32: return visitor(TypeOf<std::uint32_t>());
    case DType::kU64: return visitor(TypeOf<std::uint64_t>());
    default: return otherwise();
  }
}

// The same for what can be added: these and the 16-bit floats.
template <typename Visitor, typename Otherwise>
auto VisitNumber(DType dtype, const Visitor& visitor, const Otherwise& otherwise) {
  if (dtype == DType::kF16) return visitor(TypeOf<Half>());
  if (dtype == DType::kBF16) return visitor(TypeOf<BFloat16>());
  return VisitArithmetic(dtype, visitor, otherwise);
}

// The floats only.
template <typename Visitor, typename Otherwise>
auto VisitFloat(DType dtype, const Visitor& visitor, const Otherwise& otherwise) {
  switch (dtype) {
    case DType::kF32: return visitor(TypeOf<float>());
    case DType::kF64: return visitor(TypeOf<double>());
    case DType::kF16: return visitor(TypeOf<Half>());
    case DType::kBF16: return visitor(TypeOf<BFloat16>());
    default: return otherwise();
  }
}

// Unsigned integers by their bytes, for what only moves elements.
template <typename Visitor, typename Otherwise>
auto VisitBytes(std::size_t element_bytes, const Visitor& visitor, const Otherwise& otherwise) {
  switch (element_bytes) {
    case 1: return visitor(TypeOf<std::uint8_t>());
    case 2: return visitor(TypeOf<std::uint16_t>());
    case 4: return visitor(TypeOf<std::uint32_t>());
    case 8: return visitor(TypeOf<std::uint64_t>());
    default: return otherwise();
  }
}

}  // namespace ps

#endif  // PS_DEVICE_VISIT_DTYPE_H_

#ifndef PS_STORE_ELEMENT_TYPE_H_
#define PS_STORE_ELEMENT_TYPE_H_

#include <cstdint>
#include <utility>

#include "ps/dtype.h"

namespace ps {

// A 16-bit float in memory. What it means is known to device/half.
struct F16Bits {
  std::uint16_t bits;
};
struct BF16Bits {
  std::uint16_t bits;
};
// A bool in memory that was filled from outside: any byte but 0 is true.
struct BoolByte {
  std::uint8_t byte;
};

// Names a C++ type to a generic lambda without making a value of it.
template <typename T>
struct StoredType {
  using type = T;
};

// Calls `visit(StoredType<T>())` with the C++ type of a dtype.
template <typename Visit>
decltype(auto) VisitElementType(DType dtype, Visit&& visit) {
  switch (dtype) {
    case DType::kF32: return visit(StoredType<float>());
    case DType::kF64: return visit(StoredType<double>());
    case DType::kF16: return visit(StoredType<F16Bits>());
    case DType::kBF16: return visit(StoredType<BF16Bits>());
    case DType::kI8: return visit(StoredType<std::int8_t>());
    case DType::kI16: return visit(StoredType<std::int16_t>());
    case DType::kI32: return visit(StoredType<std::int32_t>());
    case DType::kI64: return visit(StoredType<std::int64_t>());
    case DType::kU16: return visit(StoredType<std::uint16_t>());
    case DType::kU32: return visit(StoredType<std::uint32_t>());
    case DType::kU64: return visit(StoredType<std::uint64_t>());
    case DType::kBool: return visit(StoredType<BoolByte>());
    case DType::kU8: break;
  }
  return visit(StoredType<std::uint8_t>());
}

}  // namespace ps
#endif  // PS_STORE_ELEMENT_TYPE_H_

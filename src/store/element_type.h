#ifndef PS_STORE_ELEMENT_TYPE_H_
#define PS_STORE_ELEMENT_TYPE_H_

#include <cstdint>

#include "device/visit_dtype.h"
#include "ps/dtype.h"
#include "ps/half.h"

namespace ps {

// A bool in memory that was filled from outside: any byte but 0 is true.
struct BoolByte {
  std::uint8_t byte;
};

// Calls `visit(TypeOf<T>())` with the type in which elements of any dtype lie in memory.
template <typename Visit>
auto VisitElementType(DType dtype, const Visit& visit) {
  switch (dtype) {
    case DType::kF16: return visit(TypeOf<Half>());
    case DType::kBF16: return visit(TypeOf<BFloat16>());
    case DType::kBool: return visit(TypeOf<BoolByte>());
    default: return VisitArithmetic(dtype, visit, [&visit] { return visit(TypeOf<std::uint8_t>()); });
  }
}

// The same for a float dtype; others come as float.
template <typename Visit>
auto VisitFloat(DType dtype, const Visit& visit) {
  switch (dtype) {
    case DType::kF64: return visit(TypeOf<double>());
    case DType::kF16: return visit(TypeOf<Half>());
    case DType::kBF16: return visit(TypeOf<BFloat16>());
    default: return visit(TypeOf<float>());
  }
}

}  // namespace ps
#endif  // PS_STORE_ELEMENT_TYPE_H_

// Values of JSON as elements of any dtype, and back.
#ifndef PS_TESTS_SUPPORT_TYPED_VALUES_H_
#define PS_TESTS_SUPPORT_TYPED_VALUES_H_

#include <cstdint>
#include <cstring>
#include <vector>

#include "ps/dtype.h"
#include "ps/half.h"

namespace ps {
namespace typed_values {

template <typename T>
void Append(double value, std::vector<char>* to) {
  const T typed = static_cast<T>(value);
  const char* const bytes = reinterpret_cast<const char*>(&typed);
  to->insert(to->end(), bytes, bytes + sizeof(T));
}

template <typename T>
double At(const char* bytes) {
  T typed;
  std::memcpy(&typed, bytes, sizeof(T));
  return static_cast<double>(typed);
}

}  // namespace typed_values

inline void AppendAs(DType dtype, double value, std::vector<char>* to) {
  switch (dtype) {
    case DType::kF64: return typed_values::Append<double>(value, to);
    case DType::kI32: return typed_values::Append<std::int32_t>(value, to);
    case DType::kI64: return typed_values::Append<std::int64_t>(value, to);
    case DType::kU8: return typed_values::Append<std::uint8_t>(value, to);
    case DType::kF16: return typed_values::Append<Half>(static_cast<float>(value), to);
    case DType::kBF16: return typed_values::Append<BFloat16>(static_cast<float>(value), to);
    default: return typed_values::Append<float>(value, to);
  }
}

inline double ValueAt(DType dtype, const char* bytes) {
  switch (dtype) {
    case DType::kF64: return typed_values::At<double>(bytes);
    case DType::kI32: return typed_values::At<std::int32_t>(bytes);
    case DType::kI64: return typed_values::At<std::int64_t>(bytes);
    case DType::kU8: return typed_values::At<std::uint8_t>(bytes);
    case DType::kF16: return static_cast<float>(typed_values::At<Half>(bytes));
    case DType::kBF16: return static_cast<float>(typed_values::At<BFloat16>(bytes));
    default: return typed_values::At<float>(bytes);
  }
}

}  // namespace ps

#endif  // PS_TESTS_SUPPORT_TYPED_VALUES_H_

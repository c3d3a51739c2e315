// DType: the element types of tensors and tables.
#ifndef PS_DTYPE_H_
#define PS_DTYPE_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "ps/status.h"

namespace ps {

// The codes travel and are stored: they never change. They are those that MXNet's KVStore uses.
enum class DType : std::uint8_t {
  kF32 = 0,
  kF64 = 1,
  kF16 = 2,
  kU8 = 3,
  kI32 = 4,
  kI8 = 5,
  kI64 = 6,
  kBool = 7,
  kI16 = 8,
  kU16 = 9,
  kU32 = 10,
  kU64 = 11,
  kBF16 = 12,
};
constexpr int kNumDTypes = 13;

// Whether a byte from outside is a DType.
constexpr bool IsDType(std::uint8_t code) { return code < kNumDTypes; }
// Bytes of an element.
std::size_t SizeOf(DType dtype);
// `f32`, `bf16`, ...
const char* NameOf(DType dtype);
// The other way round; kInvalidArgument lists the names.
Result<DType> DTypeNamed(std::string_view name);
// f32, f64, f16, bf16.
bool IsFloat(DType dtype);
// What updaters compute in: f32 for the 16-bit floats, else the type itself.
DType MasterOf(DType dtype);

}  // namespace ps

#endif  // PS_DTYPE_H_

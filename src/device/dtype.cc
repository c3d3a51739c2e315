#include "ps/dtype.h"

#include <array>
#include <string>

namespace ps {
namespace {

struct Description {
  const char* name;
  std::size_t bytes;
  bool is_float;
};

// By code.
constexpr std::array<Description, kNumDTypes> kDTypes = {{
    {"f32", 4, true},
    {"f64", 8, true},
    {"f16", 2, true},
    {"u8", 1, false},
    {"i32", 4, false},
    {"i8", 1, false},
    {"i64", 8, false},
    {"bool", 1, false},
    {"i16", 2, false},
    {"u16", 2, false},
    {"u32", 4, false},
    {"u64", 8, false},
    {"bf16", 2, true},
}};

// What is no DType has no size: whoever takes codes from outside asks IsDType first.
constexpr Description kUnknown = {"unknown", 0, false};

constexpr const Description& Describe(DType dtype) {
  const auto code = static_cast<std::uint8_t>(dtype);
  return IsDType(code) ? kDTypes[code] : kUnknown;
}

}  // namespace

std::size_t SizeOf(DType dtype) { return Describe(dtype).bytes; }

const char* NameOf(DType dtype) { return Describe(dtype).name; }

Result<DType> DTypeNamed(std::string_view name) {
  std::string names;
  for (std::size_t code = 0; code < kDTypes.size(); ++code) {
    if (name == kDTypes[code].name) return static_cast<DType>(code);
    names += (code == 0 ? "" : ", ") + std::string(kDTypes[code].name);
  }
  return Status::InvalidArgument("no element type is called '" + std::string(name) + "'; there are " + names);
}

bool IsFloat(DType dtype) { return Describe(dtype).is_float; }

DType MasterOf(DType dtype) { return dtype == DType::kF16 || dtype == DType::kBF16 ? DType::kF32 : dtype; }

}  // namespace ps

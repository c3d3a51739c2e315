#include "store/initial_values.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "store/element_type.h"
#include "store/mix64.h"

namespace ps {
namespace {

constexpr std::uint64_t kStep = 0x9e3779b97f4a7c15ULL;  // odd, so that no two columns meet

// A double as an element: of an integer type the next lower one, within what there is.
template <typename T>
T ToElement(double value) {
  if constexpr (std::is_same_v<T, BoolByte>) {
    return {static_cast<std::uint8_t>(value != 0)};
  } else if constexpr (std::is_integral_v<T>) {
    const double whole = std::floor(value);
    if (!(whole > static_cast<double>(std::numeric_limits<T>::min()))) return std::numeric_limits<T>::min();
    if (whole >= static_cast<double>(std::numeric_limits<T>::max())) return std::numeric_limits<T>::max();
    return static_cast<T>(whole);
  } else {
    return static_cast<T>(value);
  }
}

// In [0, 1), in steps of 2^-53.
double Fraction(std::uint64_t random) { return static_cast<double>(random >> 11) * 0x1p-53; }

template <typename T>
T UniformElement(const Init& init, std::uint64_t random) {
  const T element = ToElement<T>(init.low + Fraction(random) * (init.high - init.low));
  if constexpr (std::is_floating_point_v<T>) {
    // Rounding may reach the end that is excluded.
    if (!(static_cast<double>(element) < init.high)) return static_cast<T>(init.low);
  }
  return element;
}

template <typename T>
void FillUniform(const Init& init, std::uint64_t row, std::size_t width, T* to) {
  const std::uint64_t of_row = Mix64(Mix64(init.seed + kStep) ^ row);
  for (std::size_t column = 0; column < width; ++column)
    to[column] = UniformElement<T>(init, Mix64(of_row + (column + 1) * kStep));
}

bool AreZero(const Init& init) {
  if (init.kind == Init::kFirstWrite) return true;
  return init.kind == Init::kConstant && init.low == 0 && !std::signbit(init.low);
}

}  // namespace

InitialValues::InitialValues(const Init& init, DType dtype, std::size_t width)
    : init_(init), dtype_(dtype), width_(width), are_zero_(AreZero(init)) {}

void InitialValues::Fill(std::uint64_t first_row, std::size_t num_rows, void* to) const {
  if (are_zero_) {
    if (num_rows != 0) std::memset(to, 0, num_rows * width_ * SizeOf(dtype_));
    return;
  }
  VisitElementType(dtype_, [&](auto type) {
    using T = typename decltype(type)::Type;
    if constexpr (!std::is_same_v<T, Half> && !std::is_same_v<T, BFloat16>) {
      T* const elements = static_cast<T*>(to);
      if (init_.kind == Init::kConstant) {
        std::fill_n(elements, num_rows * width_, ToElement<T>(init_.low));
        return;
      }
      for (std::size_t i = 0; i < num_rows; ++i)
        FillUniform(init_, first_row + i, width_, elements + i * width_);
    }
  });
}

}  // namespace ps

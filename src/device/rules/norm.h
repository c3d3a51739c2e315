// Sums of squares.
#ifndef PS_DEVICE_RULES_NORM_H_
#define PS_DEVICE_RULES_NORM_H_

#include <array>
#include <cmath>
#include <cstddef>

#include "device/launch.h"

namespace ps::rules {

// The sum of the squares of at(0), ..., at(size - 1), in double, in an order that depends on the size alone.
template <typename At>
PS_ALWAYS_INLINE double SquaresOf(std::size_t size, const At& at) {
  constexpr std::size_t kSums = 8;  // so many are independent, for vectors
  std::array<double, kSums> sums{};
  std::size_t i = 0;
  for (; i + kSums <= size; i += kSums) {
    for (std::size_t k = 0; k < kSums; ++k) {
      const double value = at(i + k);
      sums[k] += value * value;
    }
  }
  for (; i < size; ++i) {
    const double value = at(i);
    sums[i % kSums] += value * value;
  }
  double sum = 0;
  for (const double part : sums) sum += part;
  return sum;
}

// Their Euclidean norm.
template <typename At>
PS_ALWAYS_INLINE double NormOf(std::size_t size, const At& at) {
  return std::sqrt(SquaresOf(size, at));
}

}  // namespace ps::rules

#endif  // PS_DEVICE_RULES_NORM_H_

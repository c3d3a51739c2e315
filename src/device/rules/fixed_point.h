// Numbers as whole steps between the least and the largest of them, rounded at random.
#ifndef PS_DEVICE_RULES_FIXED_POINT_H_
#define PS_DEVICE_RULES_FIXED_POINT_H_

#include <cstdint>

#include "ps/half.h"

namespace ps::rules {

// `num_steps` from `low` to `high`. A number between two steps becomes the upper one with a probability that
// is its distance from the lower one, in steps: what arrives is the number itself, on the average. Computed
// with halves, because the distance from the least to the largest double is no double.
struct FixedPoint {
  double low;
  double high;
  double num_steps;
  std::uint64_t seed;  // of the stream of random numbers

  // The code of the `index`-th number.
  PS_HOST_DEVICE std::uint32_t Encode(double value, std::uint64_t index) const {
    const double span = high / 2 - low / 2;
    if (!(span > 0)) return 0;
    const double step = (value / 2 - low / 2) / span * num_steps;
    const double code = step + Fraction(index);
    return static_cast<std::uint32_t>(static_cast<std::int64_t>(code < num_steps ? code : num_steps));
  }
  PS_HOST_DEVICE double Decode(std::uint32_t code) const {
    const double part = code / num_steps * (high / 2 - low / 2);
    const double value = low + part + part;
    return value < high ? value : high;
  }
  // In [0, 1): a hash of the index, so that each number can be made alone.
  PS_HOST_DEVICE double Fraction(std::uint64_t index) const {
    std::uint64_t hash = seed + index * 0x9e3779b97f4a7c15ULL;
    hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9ULL;
    hash = (hash ^ (hash >> 27)) * 0x94d049bb133111ebULL;
    hash ^= hash >> 31;
    return static_cast<double>(hash >> 11) * 0x1p-53;
  }
};

}  // namespace ps::rules

#endif  // PS_DEVICE_RULES_FIXED_POINT_H_

// Sums of several arrays, and means.
#ifndef PS_DEVICE_RULES_SUM_H_
#define PS_DEVICE_RULES_SUM_H_

#include "device/rules/add.h"
#include "ps/half.h"

namespace ps::rules {

// What a sum is made in: float for the 16-bit floats, unsigned for integers, which wrap around.
template <typename T>
struct Summing {
  using Type = typename Wrapping<T>::Type;
};
template <>
struct Summing<Half> {
  using Type = float;
};
template <>
struct Summing<BFloat16> {
  using Type = float;
};

// x += ((a + b) + c) + d, for any number of sources: the order in which MXNet adds four arrays at a time.
struct Sum {
  template <typename T, typename... More>
  PS_HOST_DEVICE void operator()(T& x, const T& first, const More&... more) const {
    using W = typename Summing<T>::Type;
    const W sum = (static_cast<W>(first) + ... + static_cast<W>(more));
    x = static_cast<T>(static_cast<W>(x) + sum);
  }
};

// The same into a place of its own: x = base + (((a + b) + c) + d).
struct SumOf {
  template <typename T, typename... More>
  PS_HOST_DEVICE void operator()(T& x, const T& base, const More&... more) const {
    T sum = base;
    Sum()(sum, more...);
    x = sum;
  }
};

// x *= factor; floats only.
template <typename W>
struct Scale {
  W factor;
  template <typename T>
  PS_HOST_DEVICE void operator()(T& x) const {
    x = static_cast<T>(static_cast<W>(x) * factor);
  }
};

}  // namespace ps::rules

#endif  // PS_DEVICE_RULES_SUM_H_

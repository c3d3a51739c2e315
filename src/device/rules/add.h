// Contributions that are added as they are, or a whole multiple of them.
#ifndef PS_DEVICE_RULES_ADD_H_
#define PS_DEVICE_RULES_ADD_H_

#include <type_traits>

#include "ps/half.h"

namespace ps::rules {

// What T is added in: unsigned for integers, whose sums then wrap around instead of being undefined.
template <typename T, bool = std::is_integral_v<T>>
struct Wrapping {
  using Type = T;
};
template <typename T>
struct Wrapping<T, true> {
  using Type = std::common_type_t<std::make_unsigned_t<T>, unsigned>;
};

template <typename T>
struct Assign {
  static constexpr int kStates = 0;
  PS_HOST_DEVICE void operator()(T& x, T d) const { x = d; }
};

template <typename T>
struct Add {
  static constexpr int kStates = 0;
  PS_HOST_DEVICE void operator()(T& x, T d) const {
    using W = typename Wrapping<T>::Type;
    x = static_cast<T>(static_cast<W>(x) + static_cast<W>(d));
  }
};

// x += rate * d. With rate -1 exactly x -= d.
template <typename T>
struct AddScaled {
  static constexpr int kStates = 0;
  T rate;
  PS_HOST_DEVICE void operator()(T& x, T d) const {
    using W = typename Wrapping<T>::Type;
    x = static_cast<T>(static_cast<W>(x) + static_cast<W>(rate) * static_cast<W>(d));
  }
};

}  // namespace ps::rules

#endif  // PS_DEVICE_RULES_ADD_H_

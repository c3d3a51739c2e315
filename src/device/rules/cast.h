// Elements of another type.
#ifndef PS_DEVICE_RULES_CAST_H_
#define PS_DEVICE_RULES_CAST_H_

#include <cstdint>

#include "ps/half.h"

namespace ps::rules {

// As C++ casts: floats round to the nearest. Between the 16-bit floats and double the way is through float.
struct Cast {
  template <typename To, typename From>
  PS_HOST_DEVICE void operator()(To& to, const From& from) const {
    to = static_cast<To>(from);
  }
};

template <typename T>
struct Fill {
  T value;
  PS_HOST_DEVICE void operator()(T& to) const { to = value; }
};

// An element of kBool: 0 or 1. (What is read may come from anywhere, and a C++ bool has no other values.)
struct Truth {
  std::uint8_t value = 0;

  Truth() = default;
  template <typename T>
  PS_HOST_DEVICE explicit Truth(const T& from) : value(static_cast<std::uint8_t>(from != T(0) ? 1 : 0)) {}
  PS_HOST_DEVICE operator std::uint8_t() const {  // NOLINT(google-explicit-constructor): loses nothing
    return static_cast<std::uint8_t>(value != 0 ? 1 : 0);
  }
};

}  // namespace ps::rules

#endif  // PS_DEVICE_RULES_CAST_H_

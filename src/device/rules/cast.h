// Elements of another type.
#ifndef PS_DEVICE_RULES_CAST_H_
#define PS_DEVICE_RULES_CAST_H_

#include "ps/half.h"

namespace ps::rules {

// As C++ casts: floats round to the nearest. Between the 16-bit floats and double the way is through float.
struct Cast {
  template <typename To, typename From>
  PS_HOST_DEVICE void operator()(To& to, const From& from) const {
    to = static_cast<To>(from);
  }
};

}  // namespace ps::rules

#endif  // PS_DEVICE_RULES_CAST_H_

// The square root of a rule's type.
#ifndef PS_DEVICE_RULES_ROOT_H_
#define PS_DEVICE_RULES_ROOT_H_

#include <cmath>

#include "ps/half.h"

namespace ps::rules {

// The overload for float is chosen for floats: nothing is computed in double on the way.
PS_HOST_DEVICE inline float Root(float value) { return std::sqrt(value); }
PS_HOST_DEVICE inline double Root(double value) { return std::sqrt(value); }

}  // namespace ps::rules

#endif  // PS_DEVICE_RULES_ROOT_H_

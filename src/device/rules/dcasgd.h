// Delay-compensated gradient descent (arXiv 1609.08326): what a gradient would have been at today's values.
#ifndef PS_DEVICE_RULES_DCASGD_H_
#define PS_DEVICE_RULES_DCASGD_H_

#include <cmath>

#include "device/rules/root.h"
#include "ps/half.h"

namespace ps::rules {

// What the values were when this worker's last contribution had been applied. Its state is zero before the
// first one, and then it is today's value; a value of zero is kept as -0, so that the two are not taken for
// each other.
template <typename T>
PS_HOST_DEVICE T ShadowOf(T state, T today) {
  return state == 0 && !std::signbit(state) ? today : state;
}
template <typename T>
PS_HOST_DEVICE T AsShadow(T today) {
  return today == 0 ? -T(0) : today;
}

// A contribution is lr times a gradient. State: the shadow, of the worker that sent the contribution.
template <typename T>
struct DcAsgd {
  static constexpr int kStates = 1;
  T lr;
  T lambda;
  PS_HOST_DEVICE void operator()(T& x, T d, T& shadow) const {
    const T g = d / lr;
    x -= lr * (g + lambda * (g * g) * (x - ShadowOf(shadow, x)));
    shadow = AsShadow(x);
  }
};

// The same with a lambda that shrinks as gradients grow. States: the shadow, of the worker; the mean of
// squares, of all.
template <typename T>
struct DcAsgdA {
  static constexpr int kStates = 2;
  T lr;
  T lambda;
  T momentum;
  T eps;
  PS_HOST_DEVICE void operator()(T& x, T d, T& shadow, T& square) const {
    const T g = d / lr;
    square = momentum * square + (1 - momentum) * (g * g);
    x -= lr * (g + lambda / Root(square + eps) * (g * g) * (x - ShadowOf(shadow, x)));
    shadow = AsShadow(x);
  }
};

}  // namespace ps::rules

#endif  // PS_DEVICE_RULES_DCASGD_H_

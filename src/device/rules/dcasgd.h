// Delay-compensated gradient descent (arXiv 1609.08326): what a gradient would have been at today's values.
#ifndef PS_DEVICE_RULES_DCASGD_H_
#define PS_DEVICE_RULES_DCASGD_H_

#include "device/rules/root.h"
#include "ps/half.h"

namespace ps::rules {

// How far a value has moved since the worker's last contribution was applied, or since the table was made.
// Counted from where values began, so that states of zero are right whatever the initial values are, and
// values that are set are no movement. `moved` is one state of all workers, `seen` one of each: what `moved`
// was then.
template <typename T>
struct Delay {
  T& moved;
  T& seen;

  PS_HOST_DEVICE T Since() const { return moved - seen; }
  PS_HOST_DEVICE void Apply(T step, T& x) const {
    x -= step;
    moved -= step;
    seen = moved;
  }
};

// A contribution is lr times a gradient. States: seen (of the worker that sent it), moved.
template <typename T>
struct DcAsgd {
  static constexpr int kStates = 2;
  T lr;
  T lambda;
  PS_HOST_DEVICE void operator()(T& x, T d, T& seen, T& moved) const {
    const Delay<T> delay{moved, seen};
    const T g = d / lr;
    delay.Apply(lr * (g + lambda * (g * g) * delay.Since()), x);
  }
};

// The same with a lambda that shrinks as gradients grow. One state more: the mean of squares, of all.
template <typename T>
struct DcAsgdA {
  static constexpr int kStates = 3;
  T lr;
  T lambda;
  T momentum;
  T eps;
  PS_HOST_DEVICE void operator()(T& x, T d, T& seen, T& moved, T& square) const {
    const Delay<T> delay{moved, seen};
    const T g = d / lr;
    square = momentum * square + (1 - momentum) * (g * g);
    delay.Apply(lr * (g + lambda / Root(square + eps) * (g * g) * delay.Since()), x);
  }
};

}  // namespace ps::rules

#endif  // PS_DEVICE_RULES_DCASGD_H_

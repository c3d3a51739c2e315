// Rates that shrink with the sum of the squared gradients.
#ifndef PS_DEVICE_RULES_ADAGRAD_H_
#define PS_DEVICE_RULES_ADAGRAD_H_

#include "device/rules/gradient.h"
#include "device/rules/root.h"

namespace ps::rules {

// MXNet 2.0's: eps is outside the root. State: the sum of squares.
template <typename T>
struct AdaGrad {
  static constexpr int kStates = 1;
  Gradient<T> gradient;
  T lr;
  T eps;
  PS_HOST_DEVICE void operator()(T& w, T d, T& squares) const {
    const T g = gradient(d, w);
    squares += g * g;
    w -= lr * g / (Root(squares) + eps);
  }
};

// Multiverso's, as it was meant: a contribution is lr times a gradient, and eps is inside the root. State:
// the sum of squares, of the worker that sent the contribution.
template <typename T>
struct AdaGradWorker {
  static constexpr int kStates = 1;
  T lr;
  T rho;
  T eps;
  PS_HOST_DEVICE void operator()(T& x, T d, T& squares) const {
    const T g = d / lr;
    squares += g * g;
    x -= rho / Root(squares + eps) * g;
  }
};

}  // namespace ps::rules

#endif  // PS_DEVICE_RULES_ADAGRAD_H_

// Rates that follow a running mean of the squared gradients.
#ifndef PS_DEVICE_RULES_RMSPROP_H_
#define PS_DEVICE_RULES_RMSPROP_H_

#include "device/rules/gradient.h"
#include "device/rules/root.h"

namespace ps::rules {

// State: mean of squares.
template <typename T>
struct RmsProp {
  static constexpr int kStates = 1;
  Gradient<T> gradient;
  T lr;
  T rho;
  T eps;
  PS_HOST_DEVICE void operator()(T& w, T d, T& square) const {
    const T g = gradient(d, w);
    square = rho * square + (1 - rho) * (g * g);
    w -= lr * g / (Root(square) + eps);
  }
};

// Of the gradient's variance instead, with a velocity. States: mean of squares, mean, velocity.
template <typename T>
struct RmsPropCentered {
  static constexpr int kStates = 3;
  Gradient<T> gradient;
  T lr;
  T rho;
  T momentum;
  T eps;
  PS_HOST_DEVICE void operator()(T& w, T d, T& square, T& mean, T& velocity) const {
    const T g = gradient(d, w);
    square = rho * square + (1 - rho) * (g * g);
    mean = rho * mean + (1 - rho) * g;
    velocity = momentum * velocity - lr * g / Root(square - mean * mean + eps);
    w += velocity;
  }
};

}  // namespace ps::rules

#endif  // PS_DEVICE_RULES_RMSPROP_H_

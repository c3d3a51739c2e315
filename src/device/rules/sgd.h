// Gradient descent, and its variants with a velocity.
#ifndef PS_DEVICE_RULES_SGD_H_
#define PS_DEVICE_RULES_SGD_H_

#include "device/rules/gradient.h"

namespace ps::rules {

template <typename T>
struct Sgd {
  static constexpr int kStates = 0;
  Gradient<T> gradient;
  T lr;
  PS_HOST_DEVICE void operator()(T& w, T d) const { w -= lr * gradient(d, w); }
};

// State: the velocity.
template <typename T>
struct Momentum {
  static constexpr int kStates = 1;
  Gradient<T> gradient;
  T lr;
  T momentum;
  PS_HOST_DEVICE void operator()(T& w, T d, T& velocity) const {
    velocity = momentum * velocity - lr * gradient(d, w);
    w += velocity;
  }
};

// Nesterov's: looks ahead by one more step of the velocity. State: the velocity.
template <typename T>
struct Nag {
  static constexpr int kStates = 1;
  Gradient<T> gradient;
  T lr;
  T momentum;
  PS_HOST_DEVICE void operator()(T& w, T d, T& velocity) const {
    const T step = lr * gradient(d, w);
    velocity = momentum * velocity - step;
    w += momentum * velocity - step;
  }
};

// Multiverso's momentum_sgd: subtracts the running mean of what is added. State: the mean.
template <typename T>
struct Smooth {
  static constexpr int kStates = 1;
  T momentum;
  PS_HOST_DEVICE void operator()(T& x, T d, T& mean) const {
    mean = momentum * mean + (1 - momentum) * d;
    x -= mean;
  }
};

}  // namespace ps::rules

#endif  // PS_DEVICE_RULES_SGD_H_

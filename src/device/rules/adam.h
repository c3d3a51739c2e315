// Running means of the gradient and of its square.
#ifndef PS_DEVICE_RULES_ADAM_H_
#define PS_DEVICE_RULES_ADAM_H_

#include "device/rules/gradient.h"
#include "device/rules/root.h"

namespace ps::rules {

template <typename T>
struct Moments {
  T beta1;
  T beta2;
  PS_HOST_DEVICE void operator()(T g, T& mean, T& square) const {
    mean = beta1 * mean + (1 - beta1) * g;
    square = beta2 * square + (1 - beta2) * (g * g);
  }
};

// `lr` holds the correction of the bias: lr * sqrt(1 - beta2^t) / (1 - beta1^t). States: mean, mean of
// squares.
template <typename T>
struct Adam {
  static constexpr int kStates = 2;
  Gradient<T> gradient;
  Moments<T> moments;
  T lr;
  T eps;
  PS_HOST_DEVICE void operator()(T& w, T d, T& mean, T& square) const {
    moments(gradient(d, w), mean, square);
    w -= lr * mean / (Root(square) + eps);
  }
};

// The same with weight decay beside the gradient, of the weight that has already moved.
template <typename T>
struct AdamW {
  static constexpr int kStates = 2;
  Gradient<T> gradient;  // without decay
  Moments<T> moments;
  T lr;
  T eps;
  T decay;  // lr * wd
  PS_HOST_DEVICE void operator()(T& w, T d, T& mean, T& square) const {
    moments(gradient.Clipped(d), mean, square);
    const T moved = w - lr * mean / (Root(square) + eps);
    w = moved - decay * moved;
  }
};

}  // namespace ps::rules

#endif  // PS_DEVICE_RULES_ADAM_H_

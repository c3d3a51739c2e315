// Adam with steps as long as the weights (all of a table together) are large: three passes.
#ifndef PS_DEVICE_RULES_LAMB_H_
#define PS_DEVICE_RULES_LAMB_H_

#include "device/rules/adam.h"
#include "device/rules/gradient.h"
#include "device/rules/root.h"

namespace ps::rules {

// First: states mean and mean of squares.
template <typename T>
struct LambMoments {
  Gradient<T> gradient;  // without decay
  Moments<T> moments;
  PS_HOST_DEVICE void operator()(T d, T& mean, T& square) const {
    moments(gradient.Clipped(d), mean, square);
  }
};

// Where an element goes. Second, the norms of this and of the weights are taken.
template <typename T>
struct LambDirection {
  T correction1;  // 1 - beta1^t, or 1
  T correction2;
  T eps;
  T decay;
  PS_HOST_DEVICE T operator()(T w, T mean, T square) const {
    return mean / correction1 / (Root(square / correction2) + eps) + decay * w;
  }
};

// Third.
template <typename T>
struct LambStep {
  LambDirection<T> direction;
  T rate;  // lr * norm of weights / norm of directions
  PS_HOST_DEVICE void operator()(T& w, T mean, T square) const { w -= rate * direction(w, mean, square); }
};

}  // namespace ps::rules

#endif  // PS_DEVICE_RULES_LAMB_H_

// Follow the regularized leader, proximal.
#ifndef PS_DEVICE_RULES_FTRL_H_
#define PS_DEVICE_RULES_FTRL_H_

#include "device/rules/gradient.h"
#include "device/rules/root.h"

namespace ps::rules {

// One rule under two sets of names: MXNet's lr, lamda1, wd and the OSDI'14 server's alpha, lambda1, lambda2;
// for the latter's prox(-z eta, eta) with eta = alpha / (sqrt(n) + beta) is what stands below, divided
// through by eta. States: z, sum of squares n. At a rate of 0, which some schedules end with, nothing
// changes.
template <typename T>
struct Ftrl {
  static constexpr int kStates = 2;
  Gradient<T> gradient;  // without decay
  T lr;
  T beta;
  T lambda1;
  T lambda2;
  PS_HOST_DEVICE void operator()(T& w, T d, T& z, T& squares) const {
    if (lr == 0) return;
    const T g = gradient.Clipped(d);
    const T more = squares + g * g;
    z += g - (Root(more) - Root(squares)) * w / lr;
    squares = more;
    const T magnitude = (z < 0 ? -z : z) - lambda1;
    const T shrunk = magnitude / ((beta + Root(more)) / lr + lambda2);
    const T moved = z < 0 ? shrunk : -shrunk;
    w = magnitude <= 0 ? 0 : moved;  // a NaN is not hidden
  }
};

}  // namespace ps::rules

#endif  // PS_DEVICE_RULES_FTRL_H_

// What every gradient rule does with a contribution first.
#ifndef PS_DEVICE_RULES_GRADIENT_H_
#define PS_DEVICE_RULES_GRADIENT_H_

#include "ps/half.h"

namespace ps::rules {

// MXNet's order: rescale, clip, then weight decay.
template <typename T>
struct Gradient {
  T rescale;
  T clip;   // to [-clip, clip]; infinite: not at all
  T decay;  // wd

  // Without weight decay, for the rules that apply it elsewhere. A NaN stays one.
  PS_HOST_DEVICE T Clipped(T contribution) const {
    const T scaled = rescale * contribution;
    const T below = scaled > clip ? clip : scaled;
    return below < -clip ? -clip : below;
  }
  PS_HOST_DEVICE T operator()(T contribution, T weight) const {
    return Clipped(contribution) + decay * weight;
  }
};

}  // namespace ps::rules

#endif  // PS_DEVICE_RULES_GRADIENT_H_

// Gradients as 2 bits: a step up, a step down, or nothing yet.
#ifndef PS_DEVICE_RULES_TWO_BIT_H_
#define PS_DEVICE_RULES_TWO_BIT_H_

#include <cstdint>

#include "ps/half.h"

namespace ps::rules {

// MXNet's. At most one step of the threshold leaves at a time; what is left stays in the residual.
struct TwoBit {
  static constexpr int kBits = 2;
  float threshold;  // > 0

  PS_HOST_DEVICE void operator()(std::uint8_t& code, float& residual, float gradient) const {
    const float sum = residual + gradient;
    const bool is_up = sum >= threshold;
    const bool is_down = sum <= -threshold;
    const float less = sum - threshold;
    const float more = sum + threshold;
    residual = is_up ? less : is_down ? more : sum;
    code = static_cast<std::uint8_t>(is_up ? 3 : is_down ? 2 : 0);
  }
  // 1 is never made, and means nothing.
  PS_HOST_DEVICE float Decode(std::uint8_t code) const {
    return code == 3 ? threshold : code == 2 ? -threshold : 0.0F;
  }
};

}  // namespace ps::rules

#endif  // PS_DEVICE_RULES_TWO_BIT_H_

// Gradients as one bit: always a step of 1, up or down.
#ifndef PS_DEVICE_RULES_ONE_BIT_H_
#define PS_DEVICE_RULES_ONE_BIT_H_

#include <cstdint>

#include "ps/half.h"

namespace ps::rules {

// MXNet's. The threshold decides the direction only. A gradient of 0 makes steps, too, which cancel.
struct OneBit {
  static constexpr int kBits = 1;
  float threshold;

  PS_HOST_DEVICE void operator()(std::uint8_t& code, float& residual, float gradient) const {
    const float sum = residual + gradient;
    const bool is_up = sum > threshold;
    const float less = sum - 1.0F;
    const float more = sum + 1.0F;
    residual = is_up ? less : more;
    code = static_cast<std::uint8_t>(is_up ? 1 : 0);
  }
  PS_HOST_DEVICE float Decode(std::uint8_t code) const { return code == 1 ? 1.0F : -1.0F; }
};

}  // namespace ps::rules

#endif  // PS_DEVICE_RULES_ONE_BIT_H_

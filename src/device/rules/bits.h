// What the rules that make codes of 1 or 2 bits (one_bit.h, two_bit.h) have around them.
#ifndef PS_DEVICE_RULES_BITS_H_
#define PS_DEVICE_RULES_BITS_H_

#include <cstdint>

#include "ps/half.h"

namespace ps::rules {

// Rule, for gradients that may be anything: one that is not finite, or would make the residual so, counts as
// 0, and `refused` is 1 for it.
template <typename Rule>
struct FiniteOnly {
  static constexpr int kBits = Rule::kBits;
  Rule rule;

  PS_HOST_DEVICE void operator()(std::uint8_t& code, std::uint8_t& refused, float& residual,
                                 float gradient) const {
    const float sum = residual + gradient;
    const bool is_finite = sum - sum == 0;  // infinity and NaN give NaN
    refused = static_cast<std::uint8_t>(is_finite ? 0 : 1);
    rule(code, residual, is_finite ? gradient : 0.0F);
  }
};

// What a code means, added.
template <typename Rule>
struct AddDecoded {
  Rule rule;
  PS_HOST_DEVICE void operator()(float& value, std::uint8_t code) const { value += rule.Decode(code); }
};

// Where the code of an element lies: bytes hold the first one in their highest bits.
template <int kBits>
struct BitPlace {
  static constexpr int kPerByte = 8 / kBits;
  static constexpr int kPerWord = 4 * kPerByte;
  static constexpr unsigned kMask = (1U << kBits) - 1;

  // How far to shift it in its byte.
  PS_HOST_DEVICE static constexpr int Shift(int index_in_byte) { return 8 - kBits * (index_in_byte + 1); }
};

}  // namespace ps::rules

#endif  // PS_DEVICE_RULES_BITS_H_

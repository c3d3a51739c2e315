// Codes of 1 and 2 bits, with any launcher. Arguments were checked.
#ifndef PS_DEVICE_BITS_H_
#define PS_DEVICE_BITS_H_

#include <cstddef>
#include <cstdint>

#include "device/kernels.h"
#include "device/rules/one_bit.h"
#include "device/rules/two_bit.h"
#include "ps/status.h"
#include "ps/tensor.h"

namespace ps {

// visitor(rules::TwoBit or rules::OneBit).
template <typename Visitor>
Status VisitBitRule(const BitRule& rule, const Visitor& visitor) {
  if (rule.kind == BitRule::kTwoBit) return visitor(rules::TwoBit{rule.threshold});
  return visitor(rules::OneBit{rule.threshold});
}

template <typename Launch>
Status LaunchEncodeBits(const Launch& launch, const BitRule& rule, const TensorView& gradient,
                        float* residual, const BitOutput& to) {
  return VisitBitRule(rule, [&](const auto& chosen) {
    return launch.Encode(chosen, static_cast<std::size_t>(gradient.size()),
                         static_cast<const float*>(gradient.data), residual, to);
  });
}

template <typename Launch>
Status LaunchDecodeAddBits(const Launch& launch, const BitRule& rule, const std::uint8_t* codes,
                           const TensorView& values) {
  return VisitBitRule(rule, [&](const auto& chosen) {
    return launch.DecodeAdd(chosen, static_cast<std::size_t>(values.size()), codes,
                            static_cast<float*>(values.data));
  });
}

}  // namespace ps

#endif  // PS_DEVICE_BITS_H_

// Half and BFloat16: the 16-bit floats. They store and convert; arithmetic is done in float.
#ifndef PS_HALF_H_
#define PS_HALF_H_

#include <cstdint>
#include <cstring>

// Before functions that run on the processor and on a CUDA device alike.
#if defined(__CUDACC__)
#define PS_HOST_DEVICE __host__ __device__
#else
#define PS_HOST_DEVICE
#endif

namespace ps {
namespace internal {

// The bits of a float, and back. (memcpy is how C++17 says it; compilers make a move between registers of
// it.)
PS_HOST_DEVICE inline std::uint32_t BitsOf(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}
PS_HOST_DEVICE inline float FloatOf(std::uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

// All four round to the nearest, to the even one of two equally near; what is too large becomes infinite; a
// NaN stays one, quiet, with the upper bits of its payload. The same bits as the processor's own
// instructions.
PS_HOST_DEVICE inline std::uint16_t HalfBits(float value) {
  constexpr std::uint32_t kInfinity = 0x7f800000;
  constexpr std::uint32_t kTooLarge = 0x47800000;  // 2^16
  constexpr std::uint32_t kLeastNormal = 0x38800000;
  constexpr int kFewerBits = 13;
  const std::uint32_t bits = BitsOf(value);
  const std::uint32_t sign = bits >> 16 & 0x8000;
  const std::uint32_t magnitude = bits & 0x7fffffff;
  std::uint32_t half;
  if (magnitude >= kTooLarge) {
    half = magnitude > kInfinity ? 0x7e00 | (magnitude >> kFewerBits & 0x3ff) : 0x7c00;
  } else if (magnitude < kLeastNormal) {
    // The sum's last place is that of a half's denormals, so that the addition rounds.
    constexpr std::uint32_t kShift = 0x3f000000;  // 0.5
    half = BitsOf(FloatOf(magnitude) + FloatOf(kShift)) - kShift;
  } else {
    // The exponent's bias changes from 127 to 15; a carry into the exponent is right, up to infinity.
    constexpr std::uint32_t kRebias = static_cast<std::uint32_t>(127 - 15) << 23;
    const std::uint32_t odd = magnitude >> kFewerBits & 1;
    half = (magnitude - kRebias + 0xfff + odd) >> kFewerBits;
  }
  return static_cast<std::uint16_t>(sign | half);
}

PS_HOST_DEVICE inline float FloatOfHalf(std::uint16_t half) {
  const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000) << 16;
  const std::uint32_t magnitude = half & 0x7fff;
  if (magnitude < 0x400) {  // zero, and the denormals: whole multiples of 2^-24
    const float value = static_cast<float>(magnitude) * 0x1p-24F;
    return FloatOf(sign | BitsOf(value));
  }
  constexpr std::uint32_t kRebias = static_cast<std::uint32_t>(127 - 15) << 23;
  std::uint32_t bits = (magnitude << 13) + kRebias;
  if (magnitude >= 0x7c00) bits += kRebias;  // infinity and NaN have the largest exponent
  if (magnitude > 0x7c00) bits |= 0x400000;  // quiet
  return FloatOf(sign | bits);
}

PS_HOST_DEVICE inline std::uint16_t BFloat16Bits(float value) {
  const std::uint32_t bits = BitsOf(value);
  const bool is_nan = (bits & 0x7fffffff) > 0x7f800000;
  const std::uint32_t rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
  return static_cast<std::uint16_t>(is_nan ? bits >> 16 | 0x40 : rounded);
}

PS_HOST_DEVICE inline float FloatOfBFloat16(std::uint16_t bits) {
  return FloatOf(static_cast<std::uint32_t>(bits) << 16);
}

}  // namespace internal

// IEEE 754 binary16: 11 significant bits, up to 65504, denormals from 2^-24.
struct Half {
  std::uint16_t bits = 0;

  Half() = default;
  PS_HOST_DEVICE explicit Half(float value) : bits(internal::HalfBits(value)) {}
  PS_HOST_DEVICE operator float() const {  // NOLINT(google-explicit-constructor): loses nothing
    return internal::FloatOfHalf(bits);
  }
  static Half FromBits(std::uint16_t bits) {
    Half half;
    half.bits = bits;
    return half;
  }
};

// The upper half of a float: 8 significant bits, the range of a float.
struct BFloat16 {
  std::uint16_t bits = 0;

  BFloat16() = default;
  PS_HOST_DEVICE explicit BFloat16(float value) : bits(internal::BFloat16Bits(value)) {}
  PS_HOST_DEVICE operator float() const {  // NOLINT(google-explicit-constructor): loses nothing
    return internal::FloatOfBFloat16(bits);
  }
  static BFloat16 FromBits(std::uint16_t bits) {
    BFloat16 half;
    half.bits = bits;
    return half;
  }
};

static_assert(sizeof(Half) == 2 && sizeof(BFloat16) == 2, "arrays of them are arrays of 16-bit words");

}  // namespace ps

#endif  // PS_HALF_H_

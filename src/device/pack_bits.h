// Codes of 1 or 2 bits, one byte each, to bytes that hold several, and back. The first one is in the highest
// bits.
#ifndef PS_DEVICE_PACK_BITS_H_
#define PS_DEVICE_PACK_BITS_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "device/launch.h"

namespace ps {

// Bytes of `count` codes: whole 4-byte words.
template <int kBits>
constexpr std::size_t PackedBytes(std::size_t count) {
  constexpr std::size_t kPerWord = 32 / kBits;
  return (count + kPerWord - 1) / kPerWord * 4;
}

// A product moves each code to its place in the upper byte, and no two terms below it meet.
template <int kBits>
PS_ALWAYS_INLINE void PackCodes(const std::uint8_t* codes, std::size_t num_bytes, std::uint8_t* to) {
  for (std::size_t i = 0; i < num_bytes; ++i) {
    if constexpr (kBits == 2) {
      std::uint32_t four;
      std::memcpy(&four, codes + 4 * i, sizeof(four));
      to[i] = static_cast<std::uint8_t>((four * 0x40100401U) >> 24);
    } else {
      std::uint64_t eight;
      std::memcpy(&eight, codes + 8 * i, sizeof(eight));
      to[i] = static_cast<std::uint8_t>((eight * 0x8040201008040201ULL) >> 56);
    }
  }
}

// The other way round: 8 / kBits codes of each byte.
template <int kBits>
PS_ALWAYS_INLINE void UnpackCodes(const std::uint8_t* from, std::size_t num_bytes, std::uint8_t* codes) {
  constexpr std::size_t kPerByte = 8 / kBits;
  for (std::size_t i = 0; i < num_bytes; ++i) {
    for (std::size_t k = 0; k < kPerByte; ++k) {
      const std::size_t shift = 8 - kBits * (k + 1);
      codes[kPerByte * i + k] = static_cast<std::uint8_t>(from[i] >> shift & ((1U << kBits) - 1));
    }
  }
}

}  // namespace ps

#endif  // PS_DEVICE_PACK_BITS_H_

#include "store/codec/magnitude_cut.h"

#include <array>
#include <cstring>

namespace ps {
namespace {

std::uint32_t MagnitudeBits(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits & 0x7fffffffU;
}

// Bits of a magnitude.
struct Digit {
  int shift;
  int num_bits;
};
constexpr Digit kDigits[] = {{20, 11}, {9, 11}, {0, 9}};
constexpr std::size_t kMostBins = std::size_t{1} << 11;

}  // namespace

MagnitudeCut MagnitudeCut::Find(const float* values, std::size_t count, std::size_t k) {
  MagnitudeCut cut;
  for (const Digit digit : kDigits) {
    // Those that agree with the cut in the digits above.
    const int above = digit.shift + digit.num_bits;
    const std::uint32_t mask = (1U << digit.num_bits) - 1;
    std::array<std::size_t, kMostBins> bins{};
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint32_t bits = MagnitudeBits(values[i]);
      if (bits >> above == cut.bits >> above) ++bins[bits >> digit.shift & mask];
    }
    std::uint32_t bin = mask;
    while (bins[bin] < k) k -= bins[bin--];
    cut.bits |= bin << digit.shift;
  }
  cut.num_equal = k;
  return cut;
}

}  // namespace ps

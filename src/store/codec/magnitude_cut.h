#ifndef PS_STORE_CODEC_MAGNITUDE_CUT_H_
#define PS_STORE_CODEC_MAGNITUDE_CUT_H_

#include <cstddef>
#include <cstdint>

namespace ps {

// Which of many floats are the `k` largest in magnitude: all above the cut, and the first `num_equal` of
// those at it. Magnitudes are compared as their bits, whose order is the same.
struct MagnitudeCut {
  std::uint32_t bits = 0;
  std::size_t num_equal = 0;

  // Of finite values. In three looks at them, without a copy. 0 < k <= count.
  static MagnitudeCut Find(const float* values, std::size_t count, std::size_t k);
};

}  // namespace ps
#endif  // PS_STORE_CODEC_MAGNITUDE_CUT_H_

#include "store/codec/magnitude_cut.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <vector>

#include "tests/store/codec/coding.h"

namespace ps {
namespace {

float AsFloat(std::uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

void CheckAllCuts(const std::vector<float>& values) {
  std::vector<float> sorted(values.size());
  std::transform(values.begin(), values.end(), sorted.begin(), [](float value) { return std::fabs(value); });
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  const std::size_t step = std::max<std::size_t>(1, values.size() / 50);
  for (std::size_t k = 1; k <= values.size(); k += step) {
    const MagnitudeCut cut = MagnitudeCut::Find(values.data(), values.size(), k);
    ASSERT_EQ(AsFloat(cut.bits), sorted[k - 1]) << k << " of " << values.size();
    const auto above = std::lower_bound(sorted.begin(), sorted.end(), sorted[k - 1], std::greater<>());
    ASSERT_EQ(cut.num_equal, k - static_cast<std::size_t>(above - sorted.begin()))
        << k << " of " << values.size();
  }
}

TEST(MagnitudeCutTest, IsTheKthLargestMagnitude) {
  for (const std::size_t count : {1U, 2U, 17U, 1000U, 20000U}) {
    for (const float scale : {1.0F, 1e-40F, 1e30F})
      CheckAllCuts(RandomFloats(static_cast<std::uint32_t>(count), count, scale));
  }
}

TEST(MagnitudeCutTest, CountsEqualOnes) {
  CheckAllCuts({1, -1, 1, 2, -2, 0, 0, -0.0F, 0.5F, -0.5F});
  CheckAllCuts(std::vector<float>(100, 3.0F));
  CheckAllCuts({std::numeric_limits<float>::max(), 0, -std::numeric_limits<float>::max(),
                std::numeric_limits<float>::denorm_min()});
}

// Neighbours that differ in the last bits alone, which is the digit that is looked at last.
TEST(MagnitudeCutTest, TellsNeighboursApart) {
  std::vector<float> values;
  for (std::uint32_t i = 0; i < 3000; ++i) values.push_back(AsFloat(0x3f800000U + i * 7919 % 3000));
  CheckAllCuts(values);
}

}  // namespace
}  // namespace ps

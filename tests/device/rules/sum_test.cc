#include "device/rules/sum.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <vector>

#include "device/launch.h"

namespace ps {
namespace {

// V195, said with numbers that tell orders apart: b0 += ((b1 + b2) + b3) + b4.
TEST(SumTest, AddsUpTheSourcesFirstAndFromLeftToRight) {
  const float tiny = 1;
  const float huge = 0x1p25F;
  float sum = tiny;
  rules::Sum()(sum, huge, tiny, -huge, tiny);
  // huge + tiny is huge; minus huge 0; plus tiny 1; and then the first one.
  EXPECT_EQ(sum, 2);
  sum = tiny;
  rules::Sum()(sum, huge);
  EXPECT_EQ(sum, huge);
}

TEST(SumTest, HalvesAreSummedInFloat) {
  Half sum(2048.F);
  rules::Sum()(sum, Half(1.F), Half(1.F));
  EXPECT_EQ(float{sum}, 2050);
  BFloat16 other(256.F);
  rules::Sum()(other, BFloat16(1.F), BFloat16(1.F));
  EXPECT_EQ(float{other}, 258);
}

TEST(SumTest, IntegersWrapAround) {
  std::int32_t sum = std::numeric_limits<std::int32_t>::max();
  rules::Sum()(sum, 1, 0);
  EXPECT_EQ(sum, std::numeric_limits<std::int32_t>::min());
  std::int8_t small = 100;
  rules::Sum()(small, std::int8_t{100});
  EXPECT_EQ(small, -56);
}

TEST(ScaleTest, MakesMeansOfSums) {
  std::vector<float> floats = {2, 4, 8};
  ForEach(floats.size(), rules::Scale<float>{.5F}, floats.data());
  EXPECT_EQ(floats, (std::vector<float>{1, 2, 4}));
  Half half(3.F);
  rules::Scale<float>{.5F}(half);
  EXPECT_EQ(float{half}, 1.5F);
}

}  // namespace
}  // namespace ps

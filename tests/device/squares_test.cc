#include "device/squares.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "ps/half.h"

namespace ps {
namespace {

constexpr std::size_t kSizes[] = {0, 1, 7, 8, 9, 4095, 4096, 4097, 20000};

// Against the plain sum: the order differs, so that the last bits may.
template <typename T>
void ExpectSums(DType dtype) {
  std::mt19937 random(7);
  std::uniform_real_distribution<float> any(-2, 2);
  for (const std::size_t size : kSizes) {
    std::vector<T> values;
    double expected = 0;
    for (std::size_t i = 0; i < size; ++i) {
      values.push_back(static_cast<T>(any(random)));
      expected += std::pow(static_cast<double>(values.back()), 2);
    }
    EXPECT_NEAR(SumOfSquares(dtype, values.data(), size), expected, 1e-9 * expected) << NameOf(dtype) << size;
  }
}

TEST(SquaresTest, AreSummedInDoubleForAllFloats) {
  ExpectSums<float>(DType::kF32);
  ExpectSums<double>(DType::kF64);
  ExpectSums<Half>(DType::kF16);
  ExpectSums<BFloat16>(DType::kBF16);
}

TEST(SquaresTest, LargeFloatsDoNotOverflow) {
  const std::vector<float> values(3, 1e30F);
  EXPECT_NEAR(SumOfSquares(DType::kF32, values.data(), 3), 3e60, 1e54);
}

TEST(SquaresTest, WhatIsNotFiniteIsSeen) {
  std::vector<float> values(5000, 1);
  values[4999] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(std::isnan(SumOfSquares(DType::kF32, values.data(), values.size())));
  values[4999] = std::numeric_limits<float>::infinity();
  EXPECT_TRUE(std::isinf(SumOfSquares(DType::kF32, values.data(), values.size())));
}

}  // namespace
}  // namespace ps

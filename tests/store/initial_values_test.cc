#include "store/initial_values.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <set>
#include <vector>

namespace ps {
namespace {

template <typename T>
std::vector<T> Filled(const Init& init, DType dtype, std::uint64_t row, std::size_t rows, std::size_t width) {
  std::vector<T> values(rows * width, T{7});
  InitialValues(init, dtype, width).Fill(row, rows, values.data());
  return values;
}

TEST(InitialValuesTest, ConstantsAreThere) {
  EXPECT_EQ(Filled<float>(Init::Constant(0.5), DType::kF32, 3, 2, 2), std::vector<float>(4, 0.5F));
  EXPECT_EQ(Filled<std::int64_t>(Init::Constant(-3), DType::kI64, 0, 1, 2), std::vector<std::int64_t>(2, -3));
  EXPECT_EQ(Filled<std::uint8_t>(Init::Constant(1), DType::kBool, 0, 1, 1), std::vector<std::uint8_t>(1, 1));
}

TEST(InitialValuesTest, WhatAnIntegerCannotHoldBecomesTheNearest) {
  EXPECT_EQ(Filled<std::uint8_t>(Init::Constant(300), DType::kU8, 0, 1, 1)[0], 255);
  EXPECT_EQ(Filled<std::uint8_t>(Init::Constant(-3), DType::kU8, 0, 1, 1)[0], 0);
  EXPECT_EQ(Filled<std::int64_t>(Init::Constant(1e30), DType::kI64, 0, 1, 1)[0], INT64_MAX);
  EXPECT_EQ(Filled<std::int32_t>(Init::Constant(std::nan("")), DType::kI32, 0, 1, 1)[0], INT32_MIN);
}

TEST(InitialValuesTest, OnlyZerosAreZeros) {
  EXPECT_TRUE(InitialValues(Init::Constant(0), DType::kF32, 1).are_zero());
  EXPECT_TRUE(InitialValues(Init::FirstWrite(), DType::kF32, 1).are_zero());
  EXPECT_FALSE(InitialValues(Init::Constant(-0.0), DType::kF32, 1).are_zero());
  EXPECT_FALSE(InitialValues(Init::Uniform(0, 0, 1), DType::kF32, 1).are_zero());
  EXPECT_EQ(Filled<float>(Init::Constant(0), DType::kF32, 0, 2, 2), std::vector<float>(4, 0.0F));
  EXPECT_TRUE(std::signbit(Filled<float>(Init::Constant(-0.0), DType::kF32, 0, 1, 1)[0]));
}

TEST(InitialValuesTest, AUniformElementDependsOnSeedRowAndColumnAlone) {
  const Init init = Init::Uniform(-2, 3, 5);
  const std::vector<float> all = Filled<float>(init, DType::kF32, 0, 100, 8);
  const std::vector<float> part = Filled<float>(init, DType::kF32, 40, 2, 8);
  EXPECT_TRUE(std::equal(part.begin(), part.end(), all.begin() + 320));
  EXPECT_NE(Filled<float>(Init::Uniform(-2, 3, 6), DType::kF32, 0, 100, 8), all);
  EXPECT_EQ(std::set<float>(all.begin(), all.end()).size(), all.size());
}

// Fixed for ever: a checkpoint holds only what was written.
TEST(InitialValuesTest, AUniformElementNeverChanges) {
  const std::vector<double> values = Filled<double>(Init::Uniform(0, 1, 1), DType::kF64, UINT64_MAX, 1, 2);
  EXPECT_DOUBLE_EQ(values[0], 0.3005983003753183);
  EXPECT_DOUBLE_EQ(values[1], 0.4089816190828366);
}

TEST(InitialValuesTest, UniformElementsFillTheirRangeEvenly) {
  const std::vector<double> values = Filled<double>(Init::Uniform(-1, 1, 9), DType::kF64, 0, 1000, 100);
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / 100000;
  EXPECT_NEAR(mean, 0, 0.01);
  EXPECT_GE(*std::min_element(values.begin(), values.end()), -1);
  EXPECT_LT(*std::max_element(values.begin(), values.end()), 1);
  double squares = 0;
  for (const double value : values) squares += value * value;
  EXPECT_NEAR(squares / 100000, 1.0 / 3, 0.01);
}

TEST(InitialValuesTest, TheUpperEndIsExcludedWhateverRoundingDoes) {
  // No float lies between these two.
  const Init init = Init::Uniform(1, std::nextafter(1.0F, 2.0F), 3);
  const std::vector<float> values = Filled<float>(init, DType::kF32, 0, 1000, 1);
  EXPECT_EQ(values, std::vector<float>(1000, 1.0F));
}

TEST(InitialValuesTest, UniformIntegersAreTheWholeNumbersBelow) {
  const std::vector<std::int32_t> values =
      Filled<std::int32_t>(Init::Uniform(-1, 2, 3), DType::kI32, 0, 1000, 1);
  EXPECT_EQ(std::set<std::int32_t>(values.begin(), values.end()), (std::set<std::int32_t>{-1, 0, 1}));
}

}  // namespace
}  // namespace ps

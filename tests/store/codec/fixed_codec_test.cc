#include "store/codec/fixed_codec.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "tests/store/codec/coding.h"

namespace ps {
namespace {

TEST(FixedCodecTest, NoNumberIsOffByMoreThanAStep) {
  for (const double bytes : {1.0, 2.0, 3.0, 4.0}) {
    const auto codec = MakeCodecFor("fixed", bytes, DType::kF64);
    for (const std::size_t count : kCodecCounts) {
      const std::vector<float> floats = RandomFloats(7, count);
      const std::vector<double> values(floats.begin(), floats.end());
      const std::vector<double> read = RoundTrip(*codec, values);
      if (count == 0) continue;
      const auto [low, high] = std::minmax_element(values.begin(), values.end());
      const double step = (*high - *low) / (std::ldexp(1.0, static_cast<int>(8 * bytes)) - 2);
      for (std::size_t i = 0; i < count; ++i) ASSERT_LE(std::fabs(read[i] - values[i]), step * 1.0001) << i;
      EXPECT_EQ(read[static_cast<std::size_t>(low - values.begin())], *low);
      EXPECT_EQ(read[static_cast<std::size_t>(high - values.begin())], *high);
      EXPECT_EQ(Encode(*codec, values).value().size(),
                CodecHeader::kBytes + 16 + count * static_cast<std::size_t>(bytes));
    }
  }
}

TEST(FixedCodecTest, TheMeanIsTheNumberItself) {
  const auto codec = MakeCodecFor("fixed", 1, DType::kF32);
  const std::vector<float> values = {-1, 1, 0, 0.3F, -0.5F, 0.001F};
  std::vector<double> sums(values.size());
  constexpr int kTimes = 20000;
  for (int i = 0; i < kTimes; ++i) {
    const std::vector<float> read = RoundTrip(*codec, values);
    for (std::size_t j = 0; j < values.size(); ++j) sums[j] += read[j];
  }
  // A step is 0.0079; the mean of so many has a deviation of 0.5 / sqrt(20000) steps at most.
  for (std::size_t j = 0; j < values.size(); ++j)
    EXPECT_NEAR(sums[j] / kTimes, values[j], 5 * 0.0079 * 0.5 / 141) << j;
}

TEST(FixedCodecTest, ManyNumbersOfOneCallDoNotErrAlike) {
  const auto codec = MakeCodecFor("fixed", 1, DType::kF64);
  std::vector<double> values(100000, 0.3);
  values[0] = -1;
  values[1] = 1;
  const std::vector<double> read = RoundTrip(*codec, values);
  double sum = 0;
  for (std::size_t i = 2; i < read.size(); ++i) sum += read[i];
  EXPECT_NEAR(sum / 99998, 0.3, 5 * 0.0079 * 0.5 / 316);
}

TEST(FixedCodecTest, EqualNumbersAreExact) {
  for (const double value : {0.1, -0.0, 5e-324, 1.7976931348623157e308}) {
    const std::vector<double> values(33, value);
    EXPECT_EQ(RoundTrip(*MakeCodecFor("fixed", 2, DType::kF64), values), values);
  }
}

TEST(FixedCodecTest, TheWidestRangeOverflowsNothing) {
  const double most = std::numeric_limits<double>::max();
  for (const double bytes : {1.0, 4.0}) {
    const std::vector<double> read =
        RoundTrip(*MakeCodecFor("fixed", bytes, DType::kF64), std::vector<double>{-most, most, 0});
    EXPECT_EQ(read[0], -most);
    EXPECT_EQ(read[1], most);
    EXPECT_LE(std::fabs(read[2]), most / 100);
  }
  const float largest = std::numeric_limits<float>::max();
  const std::vector<float> floats =
      RoundTrip(*MakeCodecFor("fixed", 4, DType::kF32), std::vector<float>{-largest, largest, 1});
  EXPECT_EQ(floats[1], largest);
}

TEST(FixedCodecTest, HalvesAreCodedToo) {
  for (const DType dtype : {DType::kF16, DType::kBF16}) {
    const std::vector<std::uint16_t> values = Narrowed(dtype, RandomFloats(3, 1000));
    const std::vector<float> read = Widened(dtype, RoundTrip(*MakeCodecFor("fixed", 2, dtype), values));
    const std::vector<float> wide = Widened(dtype, values);
    for (std::size_t i = 0; i < wide.size(); ++i)
      ASSERT_NEAR(read[i], wide[i], 0.001 + std::fabs(wide[i]) / 128);
  }
}

TEST(FixedCodecTest, TheSameCallsGiveTheSameBytesAndOthersDoNot) {
  const auto a = MakeCodecFor("fixed", 1, DType::kF32);
  const auto b = MakeCodecFor("fixed", 1, DType::kF32);
  const std::vector<float> values = RandomFloats(1, 1000);
  const std::vector<char> first = Encode(*a, values).value();
  const std::vector<char> second = Encode(*a, values).value();
  EXPECT_NE(first, second);
  EXPECT_EQ(Encode(*b, values).value(), first);
  EXPECT_EQ(Encode(*b, values).value(), second);
}

TEST(FixedCodecTest, WhatIsNotFiniteIsRefusedByIndex) {
  const auto codec = MakeCodecFor("fixed", 1, DType::kF64);
  std::vector<double> values(50, 1.0);
  values[33] = std::nan("");
  EXPECT_NE(Encode(*codec, values).status().message().find("element 33 "), std::string::npos);
}

TEST(FixedCodecTest, RangesThatCannotBeAreRefused) {
  const auto codec = MakeCodecFor("fixed", 1, DType::kF16);
  const std::vector<char> bytes = Encode(*codec, Narrowed(DType::kF16, {1, 2, 3})).value();
  const std::vector<std::pair<double, double>> wrong = {
      {2, 1}, {std::nan(""), 1}, {1, std::nan("")}, {0, 65505}, {-1e300, 0}};
  for (const auto& [low, high] : wrong) {
    std::vector<char> changed = bytes;
    std::memcpy(changed.data() + CodecHeader::kBytes, &low, sizeof(low));
    std::memcpy(changed.data() + CodecHeader::kBytes + 8, &high, sizeof(high));
    EXPECT_FALSE(Decode<std::uint16_t>(*codec, changed, 3).ok()) << low << " " << high;
  }
}

TEST(FixedCodecTest, TheCodeThatIsNeverMadeIsTheLargestNumber) {
  const auto codec = MakeCodecFor("fixed", 1, DType::kF32);
  std::vector<char> bytes = Encode(*codec, std::vector<float>{-1, 1}).value();
  bytes[CodecHeader::kBytes + 16] = '\xff';
  EXPECT_EQ(Decode<float>(*codec, bytes, 2).value(), (std::vector<float>{1, 1}));
}

TEST(FixedCodecTest, RefusesWhatIsNotItsOwn) {
  const auto codec = MakeCodecFor("fixed", 3, DType::kF32);
  CheckRefusals<float>(*codec, Encode(*codec, RandomFloats(1, 20)).value(), 20);
}

}  // namespace
}  // namespace ps

#include "ps/half.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "device/half.h"

namespace ps {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

std::vector<std::uint16_t> AllBits() {
  std::vector<std::uint16_t> all;
  for (std::uint32_t bits = 0; bits <= 0xffff; ++bits) all.push_back(static_cast<std::uint16_t>(bits));
  return all;
}

// What the bits of a binary16 mean, said with powers of two.
double ValueOfHalf(std::uint16_t bits) {
  const int exponent = bits >> 10 & 0x1f;
  const double fraction = bits & 0x3ff;
  const double magnitude =
      exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

bool IsFiniteHalf(std::uint16_t bits) { return (bits & 0x7c00) != 0x7c00; }

TEST(HalfTest, EveryHalfHasTheValueThatItsBitsSay) {
  for (const std::uint16_t bits : AllBits()) {
    if (!IsFiniteHalf(bits)) continue;
    const float value = Half::FromBits(bits);
    ASSERT_EQ(value, ValueOfHalf(bits)) << bits;
    ASSERT_EQ(std::signbit(value), (bits & 0x8000) != 0) << bits;
    ASSERT_EQ(Half(value).bits, bits);
  }
}

TEST(HalfTest, InfinityAndNanStayWhatTheyAre) {
  EXPECT_EQ(float{Half::FromBits(0x7c00)}, kInfinity);
  EXPECT_EQ(float{Half::FromBits(0xfc00)}, -kInfinity);
  EXPECT_EQ(Half(kInfinity).bits, 0x7c00);
  EXPECT_EQ(Half(-kInfinity).bits, 0xfc00);
  for (const std::uint16_t bits : AllBits()) {
    if (IsFiniteHalf(bits) || (bits & 0x3ff) == 0) continue;
    const float value = Half::FromBits(bits);
    ASSERT_TRUE(std::isnan(value)) << bits;
    ASSERT_EQ(Half(value).bits, bits | 0x200) << "quiet, with its payload";
  }
}

// Around each border between two halves: the border itself goes to the even one, its neighbours to the
// nearer.
TEST(HalfTest, FloatsBetweenTwoHalvesGoToTheNearest) {
  for (std::uint16_t low = 0; low < 0x7c00; ++low) {
    const auto high = static_cast<std::uint16_t>(low + 1);
    const double above = high == 0x7c00 ? 65536 : ValueOfHalf(high);
    const auto middle = static_cast<float>((ValueOfHalf(low) + above) / 2);
    ASSERT_EQ(Half(middle).bits, (low & 1) != 0 ? high : low) << low;
    ASSERT_EQ(Half(std::nextafter(middle, 0.F)).bits, low) << low;
    ASSERT_EQ(Half(std::nextafter(middle, kInfinity)).bits, high) << low;
    ASSERT_EQ(Half(-std::nextafter(middle, 0.F)).bits, low | 0x8000) << low;
  }
}

TEST(HalfTest, WhatIsTooLargeBecomesInfiniteAndTooSmallZero) {
  EXPECT_EQ(Half(65519.F).bits, 0x7bff);
  EXPECT_EQ(Half(65520.F).bits, 0x7c00);
  EXPECT_EQ(Half(1e30F).bits, 0x7c00);
  EXPECT_EQ(Half(-std::numeric_limits<float>::max()).bits, 0xfc00);
  EXPECT_EQ(Half(std::ldexp(1.F, -25)).bits, 0);
  EXPECT_EQ(Half(-std::numeric_limits<float>::denorm_min()).bits, 0x8000);
}

TEST(BFloat16Test, IsTheUpperHalfOfAFloat) {
  for (const std::uint16_t bits : AllBits()) {
    const float value = BFloat16::FromBits(bits);
    ASSERT_EQ(internal::BitsOf(value), static_cast<std::uint32_t>(bits) << 16);
    ASSERT_EQ(BFloat16(value).bits, std::isnan(value) ? bits | 0x40 : bits);
  }
}

TEST(BFloat16Test, RoundsToTheNearestAndTiesToEven) {
  for (std::uint32_t low = 0; low < 0x7f80; ++low) {
    const std::uint32_t middle = low << 16 | 0x8000;
    ASSERT_EQ(BFloat16(internal::FloatOf(middle)).bits, low + (low & 1)) << low;
    ASSERT_EQ(BFloat16(internal::FloatOf(middle - 1)).bits, low) << low;
    ASSERT_EQ(BFloat16(internal::FloatOf(middle + 1)).bits, low + 1) << low;
  }
  EXPECT_EQ(BFloat16(std::numeric_limits<float>::max()).bits, 0x7f80);
  EXPECT_EQ(BFloat16(internal::FloatOf(0x7f800001)).bits, 0x7fc0) << "a NaN does not become infinite";
}

// Floats of all kinds: any bits, and values that halves can hold.
std::vector<float> SomeFloats() {
  std::mt19937 random(7);
  std::vector<float> floats = {0.F, -0.F, kInfinity, -kInfinity, std::nanf(""), 65520.F, 0x1p-24F};
  for (int i = 0; i < 40000; ++i) {
    floats.push_back(internal::FloatOf(random()));
    floats.push_back(
        std::ldexp(static_cast<float>(random()) * 0x1p-32F, static_cast<int>(random() % 48) - 30));
  }
  return floats;
}

template <typename Short>
void CheckArrays() {
  const std::vector<float> floats = SomeFloats();
  std::vector<Short> shorts(floats.size());
  Convert(floats.data(), floats.size(), shorts.data());
  for (std::size_t i = 0; i < floats.size(); ++i)
    ASSERT_EQ(shorts[i].bits, Short(floats[i]).bits) << internal::BitsOf(floats[i]);

  std::vector<Short> all;
  for (const std::uint16_t bits : AllBits()) all.push_back(Short::FromBits(bits));
  std::vector<float> back(all.size());
  Convert(all.data(), all.size(), back.data());
  for (std::size_t i = 0; i < all.size(); ++i)
    ASSERT_EQ(internal::BitsOf(back[i]), internal::BitsOf(all[i])) << i;
}

TEST(HalfTest, ArraysAreConvertedAsElementsAre) { CheckArrays<Half>(); }
TEST(BFloat16Test, ArraysAreConvertedAsElementsAre) { CheckArrays<BFloat16>(); }

template <typename Short>
void CheckEnds() {
  const std::vector<float> from(40, 1.5F);
  for (std::size_t size = 0; size < from.size(); ++size) {
    std::vector<Short> shorts(from.size() + 1);
    Convert(from.data(), size, shorts.data());
    std::vector<float> back(from.size() + 1);
    Convert(shorts.data(), size, back.data());
    for (std::size_t i = 0; i < back.size(); ++i) {
      ASSERT_EQ(float{shorts[i]}, i < size ? 1.5F : 0.F) << size;
      ASSERT_EQ(back[i], i < size ? 1.5F : 0.F) << size;
    }
  }
}

TEST(HalfTest, NothingBehindTheArraysIsWritten) {
  CheckEnds<Half>();
  CheckEnds<BFloat16>();
}

// Why 16-bit tables are kept in f32: V127.
TEST(HalfTest, SmallStepsAreLostInAHalfAndKeptInItsMaster) {
  Half half(1.F);
  float master = 1;
  for (int i = 0; i < 2048; ++i) {
    half = Half(half + 0x1p-12F);
    master += 0x1p-12F;
  }
  EXPECT_EQ(float{half}, 1.F);
  EXPECT_EQ(float{Half(master)}, 1.5F);
}

}  // namespace
}  // namespace ps

#include "store/codec/sparse_codec.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "tests/store/codec/coding.h"

namespace ps {
namespace {

// Random elements of which so many in a thousand are not 0; none is -0, which arrives as 0.
template <typename T>
std::vector<T> Sparse(std::uint32_t seed, std::size_t count, unsigned per_mille) {
  std::mt19937_64 random(seed);
  std::vector<T> values(count);
  for (T& value : values) {
    if (random() % 1000 >= per_mille) continue;
    const std::uint64_t bits = random() | 1;
    std::memcpy(&value, &bits, sizeof(value));
  }
  return values;
}

template <typename T>
void CheckExact(DType dtype) {
  const auto codec = MakeCodecFor("sparse", 0, dtype);
  for (const std::size_t count : kCodecCounts) {
    for (const unsigned per_mille : {0U, 10U, 400U, 500U, 1000U}) {
      std::vector<T> values = Sparse<T>(per_mille + 1, count, per_mille);
      const std::vector<T> read = RoundTrip(*codec, values);
      // Bit for bit, NaN and all.
      const bool same = count == 0 || std::memcmp(read.data(), values.data(), count * sizeof(T)) == 0;
      ASSERT_TRUE(same) << NameOf(dtype) << " " << count;
    }
  }
}

TEST(SparseCodecTest, IsExactForEveryType) {
  CheckExact<float>(DType::kF32);
  CheckExact<double>(DType::kF64);
  CheckExact<std::uint16_t>(DType::kF16);
  CheckExact<std::uint16_t>(DType::kBF16);
  CheckExact<std::int8_t>(DType::kI8);
  CheckExact<std::int16_t>(DType::kI16);
  CheckExact<std::int32_t>(DType::kI32);
  CheckExact<std::int64_t>(DType::kI64);
  CheckExact<std::uint8_t>(DType::kU8);
  CheckExact<std::uint16_t>(DType::kU16);
  CheckExact<std::uint32_t>(DType::kU32);
  CheckExact<std::uint64_t>(DType::kU64);
  CheckExact<std::uint8_t>(DType::kBool);
}

TEST(SparseCodecTest, IsAsLongAsItsPairs) {
  const auto codec = MakeCodecFor("sparse", 0, DType::kF64);
  std::vector<double> values(100, 0.0);
  EXPECT_EQ(Encode(*codec, values).value().size(), CodecHeader::kBytes);
  for (int i = 0; i < 49; ++i) values[static_cast<std::size_t>(2 * i)] = 0.1;
  EXPECT_EQ(Encode(*codec, values).value().size(), CodecHeader::kBytes + 49 * 12);
  values[99] = 1;
  EXPECT_EQ(Encode(*codec, values).value().size(), CodecHeader::kBytes + 800);
}

TEST(SparseCodecTest, WhatIsNotAboveTheClipArrivesAsZero) {
  const auto codec = MakeCodecFor("sparse", 2, DType::kF32);
  const float nan = std::nanf("");
  const std::vector<float> values = {2, -2, 2.5F, -3, nan, 0, 0, -0.0F, 1, 1, 1, 1};
  const std::vector<float> read = RoundTrip(*codec, values);
  EXPECT_EQ(std::vector<float>(read.begin(), read.begin() + 4), (std::vector<float>{0, 0, 2.5F, -3}));
  EXPECT_TRUE(std::isnan(read[4]));
  EXPECT_FALSE(std::signbit(read[7]));
}

TEST(SparseCodecTest, ClipsIntegersAsExactly) {
  const std::int64_t large = (std::int64_t{1} << 53) + 1;
  const auto codec = MakeCodecFor("sparse", 0x1p53 + 0, DType::kI64);
  const std::vector<std::int64_t> values = {large, large - 1, -large, 1 - large, INT64_MIN, 0, 0, 0, 0};
  EXPECT_EQ(RoundTrip(*codec, values),
            (std::vector<std::int64_t>{large, 0, -large, 0, INT64_MIN, 0, 0, 0, 0}));
  const auto bytes = MakeCodecFor("sparse", 127.5, DType::kI8);
  EXPECT_EQ(RoundTrip(*bytes, std::vector<std::int8_t>{-128, 127, -127}),
            (std::vector<std::int8_t>{-128, 0, 0}));
  const auto all = MakeCodecFor("sparse", 1e30, DType::kU64);
  EXPECT_EQ(RoundTrip(*all, std::vector<std::uint64_t>{UINT64_MAX, 0, 0}), (std::vector<std::uint64_t>(3)));
}

// tbl-vec-70, 71, 72, 74: what Multiverso's SparseFilter makes of these; all of it under the clip is zeros
// here.
TEST(SparseCodecTest, TblVec70To74DoesWhatMultiversosFilterDoes) {
  const auto bytes_of = [](double clip, const std::vector<float>& values) {
    const auto codec = MakeCodecFor("sparse", clip, DType::kF32);
    return Encode(*codec, values).value().size() - CodecHeader::kBytes;
  };
  const auto restored = [](double clip, const std::vector<float>& values) {
    return RoundTrip(*MakeCodecFor("sparse", clip, DType::kF32), values);
  };
  const std::vector<float> two = {0, 0, 3, 0, 0, -2, 0, 0};
  EXPECT_EQ(bytes_of(0, two), 16u);
  EXPECT_EQ(restored(0, two), two);
  const std::vector<float> half = {1, 0, 2, 0};
  EXPECT_EQ(bytes_of(0, half), 16u) << "as it is";
  EXPECT_EQ(restored(0, half), half);
  EXPECT_EQ(bytes_of(0, std::vector<float>(4)), 0u);
  EXPECT_EQ(restored(0, std::vector<float>(4)), std::vector<float>(4));
  EXPECT_EQ(restored(0.5, {.4F, -.4F, .1F, .2F}), std::vector<float>(4));
}

TEST(SparseCodecTest, RefusesWhatIsNotItsOwn) {
  const auto codec = MakeCodecFor("sparse", 0, DType::kF32);
  std::vector<float> values(40);
  values[3] = 1;
  CheckRefusals<float>(*codec, Encode(*codec, values).value(), 40);
  CheckRefusals<float>(*codec, Encode(*codec, RandomFloats(1, 40)).value(), 40);
  std::vector<char> bytes = Encode(*codec, values).value();
  bytes[3] = 8;  // wider indices than so few elements have
  EXPECT_FALSE(Decode<float>(*codec, bytes, 40).ok());
}

}  // namespace
}  // namespace ps

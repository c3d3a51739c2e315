#include "store/codec/top_k_codec.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "tests/store/codec/bit_codec_check.h"

namespace ps {
namespace {

TEST(TopKCodecTest, SendsTheLargestAndKeepsTheOthersBack) {
  const auto codec = MakeCodecFor("topk", 0.4, DType::kF32);
  std::vector<float> residual(5);
  const std::vector<float> values = {1, -5, 2, 4, -3};
  EXPECT_EQ(RoundTrip(*codec, values, residual.data()), (std::vector<float>{0, -5, 0, 4, 0}));
  EXPECT_EQ(residual, (std::vector<float>{1, 0, 2, 0, -3}));
  EXPECT_EQ(RoundTrip(*codec, std::vector<float>{2.5F, 0, 0, 0, 0}, residual.data()),
            (std::vector<float>{3.5F, 0, 0, 0, -3}));
  EXPECT_EQ(residual, (std::vector<float>{0, 0, 2, 0, 0}));
}

TEST(TopKCodecTest, OfEqualOnesTheFirstAreSent) {
  const auto codec = MakeCodecFor("topk", 0.5, DType::kF32);
  std::vector<float> residual(4);
  EXPECT_EQ(RoundTrip(*codec, std::vector<float>{1, -1, 1, -1}, residual.data()),
            (std::vector<float>{1, -1, 0, 0}));
}

TEST(TopKCodecTest, ZerosAreNotSent) {
  const auto codec = MakeCodecFor("topk", 1, DType::kF32);
  std::vector<float> residual(4);
  const std::vector<float> values = {0, 2, -0.0F, 0};
  EXPECT_EQ(Encode(*codec, values, residual.data()).value().size(), CodecHeader::kBytes + 8);
  EXPECT_EQ(Encode(*codec, std::vector<float>(4), residual.data()).value().size(), CodecHeader::kBytes);
}

// What arrives of values in f32 that a dtype has.
std::vector<float> Push(const Codec& codec, DType dtype, const std::vector<float>& values, float* residual) {
  if (dtype == DType::kF32) return RoundTrip(codec, values, residual);
  return Widened(dtype, RoundTrip(codec, Narrowed(dtype, values), residual));
}

void CheckNothingIsLost(DType dtype, std::size_t count) {
  const auto codec = MakeCodecFor("topk", 0.1, dtype);
  std::vector<float> values = RandomFloats(5, count);
  if (dtype != DType::kF32) values = Widened(dtype, Narrowed(dtype, values));
  std::vector<float> residual(count);
  std::vector<float> sent(count);
  for (int push = 0; push < 3; ++push) {
    const std::vector<float> step = Push(*codec, dtype, values, residual.data());
    const auto num_zeros = static_cast<std::size_t>(std::count(step.begin(), step.end(), 0.0F));
    EXPECT_EQ(count - num_zeros, static_cast<std::size_t>(std::ceil(0.1 * static_cast<double>(count))));
    for (std::size_t i = 0; i < count; ++i) sent[i] += step[i];
  }
  for (std::size_t i = 0; i < count; ++i) ASSERT_NEAR(sent[i] + residual[i], 3 * values[i], 1e-5);
}

TEST(TopKCodecTest, NothingIsLostWhateverTheType) {
  for (const DType dtype : {DType::kF32, DType::kF16, DType::kBF16}) {
    for (const std::size_t count : kCodecCounts) CheckNothingIsLost(dtype, count);
  }
}

TEST(TopKCodecTest, WhatIsTooLargeForAHalfComesInParts) {
  const auto codec = MakeCodecFor("topk", 1, DType::kF16);
  std::vector<float> residual = {65000};
  const std::vector<std::uint16_t> values = Narrowed(DType::kF16, {60000});
  EXPECT_EQ(Widened(DType::kF16, RoundTrip(*codec, values, residual.data())), std::vector<float>{65504});
  EXPECT_EQ(residual[0], 60000.0F + 65000.0F - 65504.0F);
}

TEST(TopKCodecTest, WhatIsNotFiniteIsRefusedByIndex) {
  CheckNotFinite(*MakeCodecFor("topk", 0.5, DType::kF32));
}

TEST(TopKCodecTest, RefusesWhatIsNotItsOwn) {
  const auto codec = MakeCodecFor("topk", 0.25, DType::kF32);
  std::vector<float> residual(20);
  const std::vector<char> bytes = Encode(*codec, RandomFloats(1, 20), residual.data()).value();
  CheckRefusals<float>(*codec, bytes, 20);
  // More pairs than the share allows.
  std::vector<char> more =
      Encode(*MakeCodecFor("topk", 1, DType::kF32), RandomFloats(1, 20), residual.data()).value();
  std::copy(bytes.begin(), bytes.begin() + CodecHeader::kBytes, more.begin());
  EXPECT_FALSE(Decode<float>(*codec, more, 20).ok());
}

}  // namespace
}  // namespace ps

#include "store/codec/one_bit_codec.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/store/codec/bit_codec_check.h"

namespace ps {
namespace {

constexpr float kThreshold = 0.25F;

float Step(float* residual, float gradient, unsigned* code) {
  *residual += gradient;
  *code = *residual > kThreshold ? 1 : 0;
  *residual += *code == 1 ? -1.0F : 1.0F;
  return *code == 1 ? 1.0F : -1.0F;
}

TEST(OneBitCodecTest, IsWhatItsSpecificationSaysBitForBit) {
  const auto codec = MakeCodecFor("1bit", kThreshold, DType::kF32);
  EXPECT_TRUE(codec->HasResidual());
  CheckAgainstPlain(*codec, Step, 1);
}

TEST(OneBitCodecTest, HalvesAreCodedAsTheSameFloats) { CheckHalves("1bit", -0.5); }

TEST(OneBitCodecTest, WhatIsNotFiniteIsRefusedByIndex) {
  CheckNotFinite(*MakeCodecFor("1bit", 0, DType::kF32));
}

TEST(OneBitCodecTest, TakesA32ndAndAHeader) {
  EXPECT_EQ(MakeCodecFor("1bit", 0, DType::kF32)->MaxBytes(3200), CodecHeader::kBytes + 400);
}

TEST(OneBitCodecTest, RefusesWhatIsNotItsOwn) {
  const auto codec = MakeCodecFor("1bit", 0, DType::kF32);
  std::vector<float> residual(64);
  CheckRefusals<float>(*codec, Encode(*codec, RandomFloats(1, 64), residual.data()).value(), 64);
}

}  // namespace
}  // namespace ps

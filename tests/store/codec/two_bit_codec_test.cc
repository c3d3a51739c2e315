#include "store/codec/two_bit_codec.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/store/codec/bit_codec_check.h"

namespace ps {
namespace {

constexpr float kThreshold = 0.75F;

float Step(float* residual, float gradient, unsigned* code) {
  *residual += gradient;
  if (*residual >= kThreshold) {
    *code = 3;
    *residual -= kThreshold;
    return kThreshold;
  }
  if (*residual <= -kThreshold) {
    *code = 2;
    *residual += kThreshold;
    return -kThreshold;
  }
  *code = 0;
  return 0;
}

TEST(TwoBitCodecTest, IsWhatItsSpecificationSaysBitForBit) {
  const auto codec = MakeCodecFor("2bit", kThreshold, DType::kF32);
  EXPECT_TRUE(codec->HasResidual());
  CheckAgainstPlain(*codec, Step, 2);
}

TEST(TwoBitCodecTest, HalvesAreCodedAsTheSameFloats) { CheckHalves("2bit", 0.5); }

TEST(TwoBitCodecTest, WhatIsNotFiniteIsRefusedByIndex) {
  CheckNotFinite(*MakeCodecFor("2bit", 0.5, DType::kF32));
}

TEST(TwoBitCodecTest, TakesA16thAndAHeader) {
  EXPECT_EQ(MakeCodecFor("2bit", 0.5, DType::kF32)->MaxBytes(1600), CodecHeader::kBytes + 400);
}

TEST(TwoBitCodecTest, TheCodeThatIsNeverMadeIsNothing) {
  const auto codec = MakeCodecFor("2bit", 0.5, DType::kF32);
  std::vector<float> residual(5);
  std::vector<char> bytes = Encode(*codec, std::vector<float>(5), residual.data()).value();
  bytes[CodecHeader::kBytes] = 0x5b;  // 01 01 10 11
  EXPECT_EQ(Decode<float>(*codec, bytes, 5).value(), (std::vector<float>{0, 0, -0.5F, 0.5F, 0}));
}

TEST(TwoBitCodecTest, WhatIsKeptBackComesLater) {
  const auto codec = MakeCodecFor("2bit", 0.5, DType::kF32);
  const std::vector<float> gradient = RandomFloats(1, 1000, 0.1F);
  std::vector<float> residual(1000);
  std::vector<float> sum(1000);
  for (int push = 0; push < 200; ++push) {
    const std::vector<float> step = RoundTrip(*codec, gradient, residual.data());
    AddElements(DType::kF32, sum.data(), step.data(), 1000);
  }
  for (std::size_t i = 0; i < 1000; ++i) EXPECT_NEAR(sum[i], 200 * gradient[i], 0.51F) << i;
}

TEST(TwoBitCodecTest, RefusesWhatIsNotItsOwn) {
  const auto codec = MakeCodecFor("2bit", 0.5, DType::kF32);
  std::vector<float> residual(32);
  CheckRefusals<float>(*codec, Encode(*codec, RandomFloats(1, 32), residual.data()).value(), 32);
}

}  // namespace
}  // namespace ps

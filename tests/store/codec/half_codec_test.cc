#include "store/codec/half_codec.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "tests/store/codec/coding.h"

namespace ps {
namespace {

DType Wire(const std::string& name) { return name == "f16" ? DType::kF16 : DType::kBF16; }

TEST(HalfCodecTest, FloatsArriveRounded) {
  for (const char* name : {"f16", "bf16"}) {
    const auto codec = MakeCodecFor(name, 0, DType::kF32);
    for (const std::size_t count : kCodecCounts) {
      const std::vector<float> values = RandomFloats(1, count, 100);
      EXPECT_EQ(RoundTrip(*codec, values), Widened(Wire(name), Narrowed(Wire(name), values))) << count;
      EXPECT_EQ(Encode(*codec, values).value().size(), CodecHeader::kBytes + 2 * count);
    }
  }
}

TEST(HalfCodecTest, DoublesGoThroughFloat) {
  for (const char* name : {"f16", "bf16"}) {
    const auto codec = MakeCodecFor(name, 0, DType::kF64);
    const std::vector<float> floats = RandomFloats(2, 1000, 100);
    const std::vector<float> rounded = Widened(Wire(name), Narrowed(Wire(name), floats));
    EXPECT_EQ(RoundTrip(*codec, std::vector<double>(floats.begin(), floats.end())),
              std::vector<double>(rounded.begin(), rounded.end()));
  }
}

TEST(HalfCodecTest, HalvesOfTheSameKindArriveAsTheyAre) {
  for (const char* name : {"f16", "bf16"}) {
    const auto codec = MakeCodecFor(name, 0, Wire(name));
    std::vector<std::uint16_t> values(65536);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::uint16_t>(i);
    EXPECT_EQ(RoundTrip(*codec, values), values);
  }
}

TEST(HalfCodecTest, HalvesOfTheOtherKindAreRounded) {
  const auto codec = MakeCodecFor("bf16", 0, DType::kF16);
  const std::vector<float> floats = RandomFloats(3, 999);
  const std::vector<std::uint16_t> values = Narrowed(DType::kF16, floats);
  const std::vector<float> expected =
      Widened(DType::kBF16, Narrowed(DType::kBF16, Widened(DType::kF16, values)));
  EXPECT_EQ(RoundTrip(*codec, values), Narrowed(DType::kF16, expected));
}

TEST(HalfCodecTest, WhatIsNotFiniteArrivesAsSuch) {
  const float infinity = std::numeric_limits<float>::infinity();
  for (const char* name : {"f16", "bf16"}) {
    const std::vector<float> read = RoundTrip(*MakeCodecFor(name, 0, DType::kF32),
                                              std::vector<float>{infinity, -infinity, std::nanf("")});
    EXPECT_EQ(read[0], infinity);
    EXPECT_EQ(read[1], -infinity);
    EXPECT_TRUE(std::isnan(read[2]));
  }
}

// The first number that does not fit is named, and nothing is written.
template <typename T>
void CheckTooLarge(const char* name, DType dtype, T large, T too_large) {
  const auto codec = MakeCodecFor(name, 0, dtype);
  std::vector<T> values(600, large);
  EXPECT_TRUE(Encode(*codec, values).ok()) << name;
  values[300] = -too_large;
  values[400] = too_large;
  std::vector<char> to(codec->MaxBytes(600), 'x');
  const Status status = codec->Encode(values.data(), 600, nullptr, to.data()).status();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_NE(status.message().find("element 300 "), std::string::npos) << status;
  EXPECT_EQ(to, std::vector<char>(to.size(), 'x'));
}

TEST(HalfCodecTest, NumbersThatWouldBecomeInfiniteAreRefused) {
  CheckTooLarge<float>("f16", DType::kF32, 65519, 65520);
  CheckTooLarge<double>("f16", DType::kF64, 65519, 1e300);
  CheckTooLarge<float>("bf16", DType::kF32, 0x1.fefp127F, 0x1.ffp127F);
  CheckTooLarge<double>("bf16", DType::kF64, 1e38, 1e300);
}

TEST(HalfCodecTest, RefusesWhatIsNotItsOwn) {
  for (const char* name : {"f16", "bf16"}) {
    const auto codec = MakeCodecFor(name, 0, DType::kF32);
    CheckRefusals<float>(*codec, Encode(*codec, RandomFloats(1, 20)).value(), 20);
  }
}

}  // namespace
}  // namespace ps

#include "device/bits.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "device/pack_bits.h"
#include "tests/support/kernel_fixture.h"

namespace ps {
namespace {

using Bytes = std::vector<std::uint8_t>;
using Floats = std::vector<float>;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
const BitRule kHalfSteps = {BitRule::kTwoBit, .5F};
const BitRule kSigns = {BitRule::kOneBit, 0};

class BitsTest : public KernelTest {
 protected:
  struct Encoded {
    Bytes codes;
    Floats residual;
    std::int64_t num_refused;
  };

  Encoded Encode(const BitRule& rule, const Floats& gradient, const Floats& residual) {
    const Placed<float> values(device_, gradient);
    const Placed<float> kept(device_, residual);
    const Placed<std::uint8_t> codes(device_, Bytes(BytesOfBits(rule, gradient.size()), 0x55));
    std::int64_t num_refused = -1;
    const Status status =
        EncodeBits(stream_.get(), rule, values.View(), kept.data(), {codes.data(), &num_refused});
    EXPECT_TRUE(status.ok()) << status;
    Synchronize();
    return {codes.Read(), kept.Read(), num_refused};
  }
  Floats DecodeAdd(const BitRule& rule, const Bytes& bytes, const Floats& values) {
    const Placed<std::uint8_t> codes(device_, bytes);
    const Placed<float> sums(device_, values);
    EXPECT_TRUE(DecodeAddBits(stream_.get(), rule, codes.data(), sums.View()).ok());
    Synchronize();
    return sums.Read();
  }
  // One push of an example: its bytes, and what they mean.
  Floats Push(const BitRule& rule, const Floats& gradient, const Floats& residual, const Bytes& bytes,
              const Floats& decoded) {
    const Encoded encoded = Encode(rule, gradient, residual);
    EXPECT_EQ(encoded.codes, bytes);
    EXPECT_EQ(encoded.num_refused, 0);
    EXPECT_EQ(DecodeAdd(rule, bytes, Floats(gradient.size())), decoded);
    return encoded.residual;
  }
};

TEST_P(BitsTest, C1AndC2TheResidualComesBackWithTheNextPush) {
  const Floats kept = Push(kHalfSteps, {.3F, -.2F, .6F, -.7F, .5F, -.5F}, Floats(6), {0x0e, 0xe0, 0, 0},
                           {0, 0, .5F, -.5F, .5F, -.5F});
  EXPECT_EQ(kept, (Floats{.300000012F, -.200000003F, .100000024F, -.199999988F, 0, 0}));
  EXPECT_EQ(Push(kHalfSteps, {.3F, -.4F, .1F, .1F, -.1F, 0}, kept, {0xe0, 0, 0, 0}, {.5F, -.5F, 0, 0, 0, 0}),
            (Floats{.100000024F, -.100000024F, .200000018F, -.0999999866F, -.100000001F, 0}));
}

TEST_P(BitsTest, C4WordsAreWhole) {
  Floats gradient;
  Floats decoded;
  Floats residual;
  for (int i = 0; i < 17; ++i) {
    gradient.push_back(i % 3 == 0 ? 1.F : i % 3 == 1 ? -1.F : .25F);
    decoded.push_back(i % 3 == 0 ? .5F : i % 3 == 1 ? -.5F : 0.F);
    residual.push_back(i % 3 == 0 ? .5F : i % 3 == 1 ? -.5F : .25F);
  }
  EXPECT_EQ(Push(kHalfSteps, gradient, Floats(17), {0xe3, 0x8e, 0x38, 0xe3, 0x80, 0, 0, 0}, decoded),
            residual);
}

TEST_P(BitsTest, C5OneStepLeavesPerPush) {
  Floats kept = {0};
  const float gradients[] = {2, 0, 0, 0, 0, 0};
  const float residuals[] = {1.5F, 1, .5F, 0, 0, 0};
  for (int i = 0; i < 6; ++i) {
    const bool is_step = i < 4;
    kept = Push(kHalfSteps, {gradients[i]}, kept, {static_cast<std::uint8_t>(is_step ? 0xc0 : 0), 0, 0, 0},
                {is_step ? .5F : 0.F});
    EXPECT_EQ(kept[0], residuals[i]) << i;
  }
}

TEST_P(BitsTest, C7AnyThreshold) {
  EXPECT_EQ(
      Push({BitRule::kTwoBit, 4}, {-6, -2, 3, 1, 10, 5, -3, 2, -8, 0}, {-3, 1, -1, 5, -2, 2, 3, -7, -2, -100},
           {0x83, 0xf2, 0xa0, 0}, {-4, 0, 0, 4, 4, 4, 0, -4, -4, -4}),
      (Floats{-5, -1, 2, 2, 4, 3, 0, -1, -6, -96}));
}

TEST_P(BitsTest, C8SmallGradientsAddUp) {
  Floats kept = {0};
  const float gradients[] = {.4F, .1F, .2F, .3F, .5F};
  const std::uint8_t bytes[] = {0, 0xc0, 0, 0xc0, 0xc0};
  for (int i = 0; i < 5; ++i) {
    kept = Push(kHalfSteps, {gradients[i]}, kept, {bytes[i], 0, 0, 0}, {bytes[i] == 0 ? 0.F : .5F});
  }
  EXPECT_EQ(kept[0], 0);
}

// C-10 as it should be: what is not finite is counted, and leaves no trace.
TEST_P(BitsTest, C10WhatIsNotFiniteTakesNoPart) {
  Floats kept(4);
  for (int i = 0; i < 2; ++i) {
    const Encoded encoded = Encode(kHalfSteps, {kNan, kInfinity, -kInfinity, .1F}, kept);
    EXPECT_EQ(encoded.codes, (Bytes{0, 0, 0, 0}));
    EXPECT_EQ(encoded.num_refused, 3);
    kept = encoded.residual;
  }
  EXPECT_EQ(kept, (Floats{0, 0, 0, .2F}));
  const float huge = std::numeric_limits<float>::max();
  const Encoded encoded = Encode(kSigns, {huge}, {huge});
  EXPECT_EQ(encoded.num_refused, 1);
  EXPECT_TRUE(std::isfinite(encoded.residual[0]));
}

TEST_P(BitsTest, C11AndC12OneBitIsAlwaysAStep) {
  const Floats kept = Push(kSigns, {.5F, -.5F, 0, 2, -2, 1, -1, .25F, 3, -3}, Floats(10), {0x95, 0x80, 0, 0},
                           {1, -1, -1, 1, -1, 1, -1, 1, 1, -1});
  EXPECT_EQ(kept, (Floats{-.5F, .5F, 1, 1, -1, 0, 0, -.75F, 2, -2}));
  EXPECT_EQ(Push(kSigns, Floats(10), kept, {0x70, 0x80, 0, 0}, {-1, 1, 1, 1, -1, -1, -1, -1, 1, -1}),
            (Floats{.5F, -.5F, 0, 0, 0, 1, 1, .25F, 1, -1}));
}

TEST_P(BitsTest, C14OneBitOfOneElement) {
  Floats kept = {0};
  const float gradients[] = {1, 1, -1, -1};
  for (int i = 0; i < 4; ++i) {
    const bool is_up = i < 2;
    kept = Push(kSigns, {gradients[i]}, kept, {static_cast<std::uint8_t>(is_up ? 0x80 : 0), 0, 0, 0},
                {is_up ? 1.F : -1.F});
    EXPECT_EQ(kept[0], 0);
  }
}

// Any size, against the rules one element at a time.
template <typename Rule>
struct OneAtATime {
  Rule rule;
  Bytes codes;
  Floats residual;
  Floats sums;

  OneAtATime(const Rule& rule, const Floats& gradient, const Floats& before)
      : rule(rule), codes(PackedBytes<Rule::kBits>(gradient.size())), residual(before), sums(gradient) {
    constexpr std::size_t kPerByte = 8 / Rule::kBits;
    for (std::size_t i = 0; i < gradient.size(); ++i) {
      std::uint8_t code = 0;
      rule(code, residual[i], gradient[i]);
      sums[i] += rule.Decode(code);
      codes[i / kPerByte] |= static_cast<std::uint8_t>(code << (8 - Rule::kBits * (i % kPerByte + 1)));
    }
  }
};

TEST_P(BitsTest, AllSizesAreEncodedAsOneElementAtATimeWouldBe) {
  const auto check = [&](const BitRule& rule, const auto& functor, std::size_t size) {
    const Floats gradient = RandomElements<float>(size, 7);
    const Floats before = RandomElements<float>(size, 8);
    const OneAtATime expected(functor, gradient, before);
    const Encoded encoded = Encode(rule, gradient, before);
    EXPECT_EQ(encoded.codes, expected.codes) << size;
    EXPECT_TRUE(SameBits(encoded.residual, expected.residual)) << size;
    EXPECT_EQ(encoded.num_refused, 0);
    EXPECT_TRUE(SameBits(DecodeAdd(rule, expected.codes, gradient), expected.sums)) << size;
  };
  for (const std::size_t size : kSizes) {
    check(kHalfSteps, rules::TwoBit{.5F}, size);
    check(kSigns, rules::OneBit{0}, size);
    check({BitRule::kOneBit, -.25F}, rules::OneBit{-.25F}, size);
  }
}

TEST_P(BitsTest, WhatCanNotBeIsRefusedAtOnce) {
  const Placed<Half> halves(device_, std::vector<Half>(2));
  const Placed<float> floats(device_, {1, 2});
  std::int64_t num_refused = 0;
  const BitOutput nowhere = {nullptr, &num_refused};
  EXPECT_EQ(EncodeBits(stream_.get(), kSigns, halves.View(), floats.data(), nowhere).code(),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(EncodeBits(stream_.get(), {BitRule::kTwoBit, 0}, floats.View(), floats.data(), nowhere).code(),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(DecodeAddBits(stream_.get(), {BitRule::kOneBit, kNan}, nullptr, floats.View()).code(),
            StatusCode::kInvalidArgument);
}

PS_ON_ALL_DEVICES(BitsTest);

}  // namespace
}  // namespace ps

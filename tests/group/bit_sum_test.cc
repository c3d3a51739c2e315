#include "group/bit_sum.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "device/rules/one_bit.h"
#include "device/rules/two_bit.h"
#include "tests/group/resources_fixture.h"
#include "tests/support/tensors.h"

namespace ps {
namespace {

constexpr std::uint64_t kKey = 17;
constexpr std::size_t kBig = 2 * Workers::kPiece + 1;
const BitRule kHalves = {BitRule::kTwoBit, 0.5F};

class BitSumTest : public ResourcesFixture {
 protected:
  BitSumTest() : ResourcesFixture(kBig) {}
};

// The same on each of `num_devices`, the first of which is the processor.
std::vector<Tensor> OnEach(int num_devices, const std::vector<float>& gradient) {
  std::vector<Tensor> values;
  for (int i = 0; i < num_devices; ++i) values.push_back(TensorOf(gradient, DeviceId::Cpu(i)));
  return values;
}

std::vector<float> SumOf(BitSum* sums, const std::vector<Tensor>& values, int owner = 1) {
  const Tensor sum = sums->Sum(DeviceId::Cpu(owner), values);
  EXPECT_EQ(sum.view().device, DeviceId::Cpu(owner));
  return ValuesOf<float>(sum);
}

TEST_F(BitSumTest, SendsStepsAndKeepsTheRest) {
  for (Resources* const resources : All()) {
    // C-1 and C-2
    BitSum sums(resources, kKey, kHalves);
    EXPECT_EQ(SumOf(&sums, OnEach(1, {.3F, -.2F, .6F, -.7F, .5F, -.5F})),
              (std::vector<float>{0, 0, .5F, -.5F, .5F, -.5F}));
    EXPECT_EQ(SumOf(&sums, OnEach(1, {.3F, -.4F, .1F, .1F, -.1F, 0})),
              (std::vector<float>{.5F, -.5F, 0, 0, 0, 0}));
    // C-8
    BitSum steps(resources, kKey, kHalves);
    std::vector<float> seen;
    for (const float gradient : {.4F, .1F, .2F, .3F, .5F})
      seen.push_back(SumOf(&steps, OnEach(1, {gradient}))[0]);
    EXPECT_EQ(seen, (std::vector<float>{0, .5F, 0, .5F, .5F}));
  }
}

TEST_F(BitSumTest, OneBitIsAlwaysAStepOfOne) {
  for (Resources* const resources : All()) {
    // C-11 and C-12
    BitSum sums(resources, kKey, {BitRule::kOneBit, 0});
    EXPECT_EQ(SumOf(&sums, OnEach(1, {.5F, -.5F, 0, 2, -2, 1, -1, .25F, 3, -3})),
              (std::vector<float>{1, -1, -1, 1, -1, 1, -1, 1, 1, -1}));
    EXPECT_EQ(SumOf(&sums, OnEach(1, std::vector<float>(10, 0))),
              (std::vector<float>{-1, 1, 1, 1, -1, -1, -1, -1, 1, -1}));
  }
}

TEST_F(BitSumTest, EveryDeviceHasItsOwnResidual) {
  for (Resources* const resources : All()) {
    // V170, with devices for workers.
    BitSum sums(resources, kKey, kHalves);
    const auto push = [&](float first, float second) {
      return SumOf(&sums, {TensorOf(std::vector<float>{first}, DeviceId::Cpu(1)),
                           TensorOf(std::vector<float>{second}, DeviceId::Cpu(2))})[0];
    };
    EXPECT_EQ(push(.3F, .3F), 0);
    EXPECT_EQ(push(.3F, 0), .5F);
    EXPECT_EQ(push(0, .2F), .5F);
  }
}

TEST_F(BitSumTest, SeveralPartsOfOneDeviceHaveAResidualEach) {
  for (Resources* const resources : All()) {
    BitSum sums(resources, kKey, kHalves);
    const Tensor part = TensorOf(std::vector<float>{.3F}, DeviceId::Cpu(1));
    EXPECT_EQ(SumOf(&sums, {part, part}), std::vector<float>{0});
    EXPECT_EQ(SumOf(&sums, {part, part}), std::vector<float>{1});
  }
}

// As the rules say, one element after the other.
template <typename Rule>
void ExpectRule(Resources* resources, const BitRule& bit_rule, const Rule& rule, std::size_t size) {
  std::mt19937 random(static_cast<unsigned>(size));
  std::uniform_real_distribution<float> any(-1, 1);
  constexpr int kDevices = 3;
  BitSum sums(resources, kKey, bit_rule);
  std::vector<std::vector<float>> residuals(kDevices, std::vector<float>(size, 0));
  for (int round = 0; round < 3; ++round) {
    std::vector<float> expected(size, 0);
    std::vector<Tensor> values;
    for (int device = 0; device < kDevices; ++device) {
      std::vector<float> gradient(size);
      for (std::size_t i = 0; i < size; ++i) {
        gradient[i] = any(random);
        std::uint8_t code = 0;
        rule(code, residuals[static_cast<std::size_t>(device)][i], gradient[i]);
        expected[i] += rule.Decode(code);
      }
      values.push_back(TensorOf(gradient, DeviceId::Cpu(device)));
    }
    EXPECT_EQ(SumOf(&sums, values, round), expected) << size;
  }
}

TEST_F(BitSumTest, AllSizesFollowTheRule) {
  for (Resources* const resources : All()) {
    for (const std::size_t size : {1UL, 15UL, 33UL, Workers::kPiece, Workers::kPiece + 1, kBig, kBig + 1}) {
      ExpectRule(resources, {BitRule::kTwoBit, .75F}, rules::TwoBit{.75F}, size);
      ExpectRule(resources, {BitRule::kOneBit, .25F}, rules::OneBit{.25F}, size);
    }
    BitSum sums(resources, kKey, kHalves);
    EXPECT_TRUE(SumOf(&sums, OnEach(2, {})).empty());
  }
}

TEST_F(BitSumTest, WhatIsNotFiniteIsNamedAndNotKept) {
  for (const float wrong :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    for (Resources* const resources : All()) {
      BitSum sums(resources, kKey, kHalves);
      std::vector<float> gradient(kBig, .3F);
      gradient[kBig - 2] = wrong;
      const std::vector<Tensor> values = {TensorOf(gradient, DeviceId::Cpu(2))};
      const Status status = ThrownBy([&] { sums.Sum(DeviceId::Cpu(1), values); });
      EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
      EXPECT_NE(status.message().find("key 17 on cpu:2"), std::string::npos) << status;
      const bool is_named = status.message().find("element " + std::to_string(kBig - 2)) != std::string::npos;
      EXPECT_TRUE(is_named || resources == &apart_) << status;
      // Nothing of it is left: the same element goes on as if it had been 0.
      gradient[kBig - 2] = .5F;
      EXPECT_EQ(SumOf(&sums, {TensorOf(gradient, DeviceId::Cpu(2))})[kBig - 2], .5F);
    }
  }
}

TEST_F(BitSumTest, NothingChangesWhereTheProcessorRefuses) {
  BitSum sums(&threads_, kKey, kHalves);
  std::vector<float> gradient(kBig, .3F);
  gradient[kBig - 1] = std::numeric_limits<float>::infinity();
  EXPECT_THROW(sums.Sum(DeviceId(), OnEach(2, gradient)), Error);
  EXPECT_EQ(SumOf(&sums, OnEach(2, std::vector<float>(kBig, .3F))), std::vector<float>(kBig, 0));
}

TEST_F(BitSumTest, TheSizeStays) {
  BitSum sums(&one_thread_, kKey, kHalves);
  SumOf(&sums, OnEach(1, {1, 2}));
  const Status status = ThrownBy([&] { SumOf(&sums, OnEach(1, {1, 2, 3})); });
  EXPECT_NE(status.message().find("The value size can't be changed. For key 17"), std::string::npos)
      << status;
}

}  // namespace
}  // namespace ps

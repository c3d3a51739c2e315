#include "device/casts.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "tests/support/kernel_fixture.h"

namespace ps {
namespace {

class CastsTest : public KernelTest {
 protected:
  template <typename To, typename From>
  void Check(const std::vector<From>& values) {
    std::vector<To> expected;
    for (const From value : values) expected.push_back(static_cast<To>(value));
    const Placed<From> from(device_, values);
    const Placed<To> to(device_, std::vector<To>(values.size()));
    const Status status = Cast(stream_.get(), to.View(), from.View());
    ASSERT_TRUE(status.ok()) << status;
    Synchronize();
    EXPECT_TRUE(SameBits(to.Read(), expected))
        << NameOf(from.View().dtype) << " to " << NameOf(to.View().dtype);
  }
  // Between each two of these types, values that both can hold.
  template <typename... T>
  void CheckAllOf(std::size_t size) {
    (CheckFrom<T, T...>(size), ...);
  }
  template <typename From, typename... To>
  void CheckFrom(std::size_t size) {
    std::vector<From> values(size);
    for (std::size_t i = 0; i < size; ++i)
      values[i] = static_cast<From>(static_cast<float>(i * 7 % 121) + .75F);
    (Check<To, From>(values), ...);
  }
};

TEST_P(CastsTest, CastsBetweenAllTypes) {
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{1003}}) {
    CheckAllOf<float, double, Half, BFloat16, std::int8_t, std::int16_t, std::int32_t, std::int64_t,
               std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>(size);
  }
}

TEST_P(CastsTest, RoundsToTheNearestAndKeepsInfinity) {
  const float infinity = std::numeric_limits<float>::infinity();
  std::vector<float> floats = RandomElements<float>(100003, 5);
  floats.insert(floats.end(), {infinity, -infinity, -0.F, 65519.F, 65520.F, 1e-8F, 3e38F, 6e-8F, 1e-41F});
  Check<Half>(floats);
  Check<BFloat16>(floats);
  Check<double>(floats);
  Check<float>(RandomElements<double>(4099, 6));
  std::vector<Half> halves;
  for (std::uint32_t bits = 0; bits < 0x7c01; ++bits)
    halves.push_back(Half::FromBits(static_cast<std::uint16_t>(bits)));
  Check<float>(halves);
  Check<BFloat16>(halves);
}

TEST_P(CastsTest, ANanStaysOne) {
  const Placed<float> from(device_, {std::numeric_limits<float>::quiet_NaN()});
  const Placed<Half> half(device_, std::vector<Half>(1));
  const Placed<BFloat16> other(device_, std::vector<BFloat16>(1));
  ASSERT_TRUE(Cast(stream_.get(), half.View(), from.View()).ok());
  ASSERT_TRUE(Cast(stream_.get(), other.View(), from.View()).ok());
  Synchronize();
  EXPECT_TRUE(std::isnan(float{half.Read()[0]}));
  EXPECT_TRUE(std::isnan(float{other.Read()[0]}));
}

TEST_P(CastsTest, WhatIsNotZeroIsTrue) {
  const Placed<float> from(device_, {0, -0.F, .25F, -3, std::numeric_limits<float>::quiet_NaN()});
  const Placed<std::uint8_t> flags(device_, std::vector<std::uint8_t>(5));
  TensorView to = flags.View();
  to.dtype = DType::kBool;
  ASSERT_TRUE(Cast(stream_.get(), to, from.View()).ok());
  Synchronize();
  EXPECT_EQ(flags.Read(), (std::vector<std::uint8_t>{0, 0, 1, 1, 1}));
  const Placed<float> back(device_, std::vector<float>(5));
  ASSERT_TRUE(Cast(stream_.get(), back.View(), to).ok());
  Synchronize();
  EXPECT_EQ(back.Read(), (std::vector<float>{0, 0, 1, 1, 1}));
}

TEST_P(CastsTest, FillsWithAnyType) {
  for (const std::size_t size : kSizes) {
    const Placed<float> floats(device_, std::vector<float>(size));
    const Placed<std::int64_t> integers(device_, std::vector<std::int64_t>(size));
    const Placed<BFloat16> halves(device_, std::vector<BFloat16>(size));
    ASSERT_TRUE(Fill(stream_.get(), floats.View(), .1).ok());
    ASSERT_TRUE(Fill(stream_.get(), integers.View(), -7).ok());
    ASSERT_TRUE(Fill(stream_.get(), halves.View(), .1).ok());
    Synchronize();
    EXPECT_TRUE(SameBits(floats.Read(), std::vector<float>(size, .1F)));
    EXPECT_TRUE(SameBits(integers.Read(), std::vector<std::int64_t>(size, -7)));
    EXPECT_TRUE(SameBits(halves.Read(), std::vector<BFloat16>(size, BFloat16(.1F))));
  }
}

TEST_P(CastsTest, WhatCanNotBeIsRefusedAtOnce) {
  const Placed<float> two(device_, {1, 2});
  const Placed<double> three(device_, {1, 2, 3});
  EXPECT_EQ(Cast(stream_.get(), three.View(), two.View()).code(), StatusCode::kInvalidArgument);
  TensorView unknown = two.View();
  unknown.dtype = static_cast<DType>(99);
  EXPECT_EQ(Fill(stream_.get(), unknown, 1).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(Cast(stream_.get(), unknown, two.View()).code(), StatusCode::kInvalidArgument);
}

PS_ON_ALL_DEVICES(CastsTest);

}  // namespace
}  // namespace ps

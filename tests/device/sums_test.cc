#include "device/sums.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "tests/support/kernel_fixture.h"

namespace ps {
namespace {

class SumsTest : public KernelTest {
 protected:
  template <typename T>
  using Arrays = std::vector<std::vector<T>>;

  // b0 += ((b1 + b2) + b3) + b4, and so on: V195, with loops of its own. W: what T is added in.
  template <typename T, typename W>
  static std::vector<T> Expected(const Arrays<T>& from) {
    std::vector<T> sum = from[0];
    for (std::size_t at = 1; at < from.size(); at += 4) {
      for (std::size_t i = 0; i < sum.size(); ++i) {
        W addends = static_cast<W>(from[at][i]);
        for (std::size_t k = at + 1; k < std::min(at + 4, from.size()); ++k) {
          addends = static_cast<W>(addends + static_cast<W>(from[k][i]));
        }
        sum[i] = static_cast<T>(static_cast<W>(static_cast<W>(sum[i]) + addends));
      }
    }
    return sum;
  }

  template <typename T, typename W>
  void Check(std::size_t size, std::size_t num_sources) {
    Arrays<T> arrays;
    std::vector<std::unique_ptr<Placed<T>>> placed;
    std::vector<const void*> from;
    for (std::size_t i = 0; i < num_sources; ++i) {
      arrays.push_back(RandomElements<T>(size, static_cast<std::uint32_t>(i + 1)));
      placed.push_back(std::make_unique<Placed<T>>(device_, arrays.back()));
      from.push_back(placed.back()->data());
    }
    const std::vector<T> expected = Expected<T, W>(arrays);
    const Placed<T> apart(device_, std::vector<T>(size));
    ASSERT_TRUE(Sum(stream_.get(), apart.View(), from).ok());
    Synchronize();
    EXPECT_TRUE(SameBits(apart.Read(), expected)) << num_sources << " sources";
    EXPECT_TRUE(SameBits(placed[0]->Read(), arrays[0]));
    ASSERT_TRUE(Sum(stream_.get(), placed[0]->View(), from).ok());
    Synchronize();
    EXPECT_TRUE(SameBits(placed[0]->Read(), expected)) << num_sources << " sources, in place";
  }
  template <typename T, typename W>
  void CheckAll() {
    for (const std::size_t size : kSizes) Check<T, W>(size, 4);
    for (std::size_t num_sources = 1; num_sources <= 10; ++num_sources) Check<T, W>(1000, num_sources);
  }
};

TEST_P(SumsTest, AddsFourAtATimeInTheOrderOfTheSources) {
  CheckAll<float, float>();
  CheckAll<double, double>();
}

TEST_P(SumsTest, HalvesAreAddedInFloat) {
  CheckAll<Half, float>();
  CheckAll<BFloat16, float>();
}

TEST_P(SumsTest, IntegersWrapAround) {
  CheckAll<std::int8_t, std::uint32_t>();
  CheckAll<std::uint16_t, std::uint32_t>();
  CheckAll<std::int32_t, std::uint32_t>();
  CheckAll<std::int64_t, std::uint64_t>();
}

TEST_P(SumsTest, WhatCanNotBeIsRefusedAtOnce) {
  const Placed<float> values(device_, {1, 2});
  const Placed<std::uint8_t> flags(device_, {1, 0});
  TensorView truths = flags.View();
  truths.dtype = DType::kBool;
  EXPECT_EQ(Sum(stream_.get(), values.View(), {}).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(Sum(stream_.get(), truths, {flags.data(), values.data()}).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(Sum(stream_.get(), values.View(), {flags.data(), values.data()}).code(),
            StatusCode::kInvalidArgument);
  const Placed<int> numbers(device_, {1, 2});
  const Status status = Scale(stream_.get(), numbers.View(), .5);
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_NE(status.message().find("i32"), std::string::npos) << status;
  EXPECT_TRUE(stream_->Synchronize().ok());
  EXPECT_EQ(numbers.Read(), (std::vector<int>{1, 2}));
}

TEST_P(SumsTest, ScalesFloatsInTheirOwnTypeAndHalvesInFloat) {
  for (const std::size_t size : kSizes) {
    const std::vector<double> doubles = RandomElements<double>(size, 1);
    const std::vector<Half> halves = RandomElements<Half>(size, 1);
    const Placed<double> placed_doubles(device_, doubles);
    const Placed<Half> placed_halves(device_, halves);
    ASSERT_TRUE(Scale(stream_.get(), placed_doubles.View(), 1. / 3).ok());
    ASSERT_TRUE(Scale(stream_.get(), placed_halves.View(), 1. / 3).ok());
    Synchronize();
    std::vector<double> expected_doubles = doubles;
    std::vector<Half> expected_halves = halves;
    for (double& value : expected_doubles) value *= 1. / 3;
    for (Half& value : expected_halves) value = Half(value * static_cast<float>(1. / 3));
    EXPECT_TRUE(SameBits(placed_doubles.Read(), expected_doubles));
    EXPECT_TRUE(SameBits(placed_halves.Read(), expected_halves));
  }
}

PS_ON_ALL_DEVICES(SumsTest);

}  // namespace
}  // namespace ps

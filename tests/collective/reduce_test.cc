#include "collective/reduce.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "ps/dtype_of.h"

namespace ps {
namespace {

constexpr ReduceOp kOps[] = {ReduceOp::kSum, ReduceOp::kProd, ReduceOp::kMin, ReduceOp::kMax};

template <typename T>
std::vector<T> Reduced(ReduceOp op, const std::vector<T>& a, const std::vector<T>& b) {
  std::vector<T> to(a.size());
  Reduce({op, DTypeOf<T>::value}, a.data(), b.data(), to.data(), a.size());
  std::vector<T> over_first = a;
  Reduce({op, DTypeOf<T>::value}, over_first.data(), b.data(), over_first.data(), a.size());
  EXPECT_EQ(std::memcmp(to.data(), over_first.data(), to.size() * sizeof(T)), 0);
  std::vector<T> over_second = b;
  Reduce({op, DTypeOf<T>::value}, a.data(), over_second.data(), over_second.data(), a.size());
  EXPECT_EQ(std::memcmp(to.data(), over_second.data(), to.size() * sizeof(T)), 0);
  return to;
}

template <typename T>
void CheckType() {
  std::vector<T> a;
  std::vector<T> b;
  for (int i = 0; i < 67; ++i) {
    a.push_back(static_cast<T>(i % 7 + 1));
    b.push_back(static_cast<T>((i * 3) % 5 + 1));
  }
  for (const ReduceOp op : kOps) {
    const std::vector<T> got = Reduced(op, a, b);
    for (std::size_t i = 0; i < a.size(); ++i) {
      const int x = static_cast<int>(static_cast<float>(a[i]));
      const int y = static_cast<int>(static_cast<float>(b[i]));
      const int expected = op == ReduceOp::kSum    ? x + y
                           : op == ReduceOp::kProd ? x * y
                           : op == ReduceOp::kMin  ? std::min(x, y)
                                                   : std::max(x, y);
      EXPECT_EQ(static_cast<float>(got[i]), static_cast<float>(expected)) << i;
    }
  }
}

TEST(ReduceTest, EveryTypeHasEveryReduction) {
  CheckType<float>();
  CheckType<double>();
  CheckType<std::int8_t>();
  CheckType<std::uint8_t>();
  CheckType<std::int16_t>();
  CheckType<std::uint16_t>();
  CheckType<std::int32_t>();
  CheckType<std::uint32_t>();
  CheckType<std::int64_t>();
  CheckType<std::uint64_t>();
}

template <typename T>
void CheckHalves() {
  const std::vector<T> a{T(1.5F), T(-2.0F), T(3.0F)};
  const std::vector<T> b{T(0.25F), T(8.0F), T(-3.0F)};
  const auto expect = [&](ReduceOp op, const std::vector<float>& expected) {
    const std::vector<T> got = Reduced(op, a, b);
    for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(static_cast<float>(got[i]), expected[i]);
  };
  expect(ReduceOp::kSum, {1.75F, 6.0F, 0.0F});
  expect(ReduceOp::kProd, {0.375F, -16.0F, -9.0F});
  expect(ReduceOp::kMin, {0.25F, -2.0F, -3.0F});
  expect(ReduceOp::kMax, {1.5F, 8.0F, 3.0F});
}

TEST(ReduceTest, SixteenBitFloatsAreReducedInFloat) {
  CheckHalves<Half>();
  CheckHalves<BFloat16>();
}

TEST(ReduceTest, IntegersWrapAround) {
  using I16 = std::int16_t;
  using U16 = std::uint16_t;
  using I64 = std::int64_t;
  constexpr I64 kLargest = std::numeric_limits<I64>::max();
  EXPECT_EQ(Reduced<I16>(ReduceOp::kSum, {32767}, {1})[0], -32768);
  EXPECT_EQ(Reduced<U16>(ReduceOp::kProd, {65535}, {65535})[0], 1);
  EXPECT_EQ(Reduced<I64>(ReduceOp::kSum, {kLargest}, {1})[0], std::numeric_limits<I64>::min());
  EXPECT_EQ(Reduced<I64>(ReduceOp::kProd, {kLargest}, {2})[0], -2);
}

TEST(ReduceTest, SignsCountForTheLeastAndTheGreatest) {
  EXPECT_EQ(Reduced<std::int8_t>(ReduceOp::kMin, {-1}, {1})[0], -1);
  EXPECT_EQ(Reduced<std::uint64_t>(ReduceOp::kMax, {UINT64_MAX}, {1})[0], UINT64_MAX);
}

TEST(ReduceTest, ANaNStaysOne) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const ReduceOp op : kOps) {
    for (const float got : Reduced<float>(op, {nan, 1.0F, nan}, {1.0F, nan, nan}))
      EXPECT_TRUE(std::isnan(got)) << static_cast<int>(op);
    for (const Half got : Reduced<Half>(op, {Half(nan), Half(1.0F)}, {Half(1.0F), Half(nan)}))
      EXPECT_TRUE(std::isnan(static_cast<float>(got))) << static_cast<int>(op);
  }
}

TEST(ReduceTest, BoolsHaveAndAndOr) {
  const std::uint8_t a[] = {0, 0, 1, 7};
  const std::uint8_t b[] = {0, 1, 0, 1};
  std::uint8_t to[4];
  Reduce({ReduceOp::kMin, DType::kBool}, a, b, to, 4);
  EXPECT_EQ(std::vector<int>(to, to + 4), (std::vector<int>{0, 0, 0, 1}));
  Reduce({ReduceOp::kMax, DType::kBool}, a, b, to, 4);
  EXPECT_EQ(std::vector<int>(to, to + 4), (std::vector<int>{0, 1, 1, 1}));
  EXPECT_TRUE(CheckReduce(ReduceOp::kMax, DType::kBool).ok());
  EXPECT_EQ(CheckReduce(ReduceOp::kSum, DType::kBool).message(),
            "there is no sum of bools, only min (and) and max (or)");
  EXPECT_FALSE(CheckReduce(ReduceOp::kProd, DType::kBool).ok());
  EXPECT_TRUE(CheckReduce(ReduceOp::kSum, DType::kF16).ok());
}

}  // namespace
}  // namespace ps

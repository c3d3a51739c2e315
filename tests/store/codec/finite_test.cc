#include "store/codec/finite.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "tests/store/codec/coding.h"

namespace ps {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kLargest = std::numeric_limits<float>::max();

std::string Element(std::size_t i) { return "element " + std::to_string(i) + " "; }

TEST(FiniteTest, NamesTheFirstValueThatIsNot) {
  for (const std::size_t count : {1U, 15U, 16U, 17U, 256U, 257U, 1000U}) {
    for (const std::size_t at : {std::size_t{0}, count / 2, count - 1}) {
      std::vector<float> values(count, kLargest);
      values[count - 1] = std::nanf("");
      values[at] = -kInfinity;
      const Status status = CheckFinite(DType::kF32, values.data(), count);
      EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
      EXPECT_NE(status.message().find(Element(at)), std::string::npos) << status;
    }
  }
}

TEST(FiniteTest, LooksAtAllFloats) {
  for (const DType dtype : {DType::kF16, DType::kBF16}) {
    std::vector<float> wide(300, 1.0F);
    EXPECT_TRUE(CheckFinite(dtype, Narrowed(dtype, wide).data(), 300).ok());
    wide[299] = kInfinity;
    EXPECT_FALSE(CheckFinite(dtype, Narrowed(dtype, wide).data(), 300).ok());
  }
  std::vector<double> doubles(100, 1e308);
  EXPECT_TRUE(CheckFinite(DType::kF64, doubles.data(), 100).ok());
  doubles[50] = std::nan("");
  EXPECT_NE(CheckFinite(DType::kF64, doubles.data(), 100).message().find(Element(50)), std::string::npos);
}

TEST(FiniteTest, SumsWithResidualsCountToo) {
  const std::vector<float> values = {1, kLargest, -kLargest};
  const std::vector<float> small = {1, -1, kLargest};
  EXPECT_TRUE(CheckFiniteSums(DType::kF32, values.data(), small.data(), 3).ok());
  const std::vector<float> large = {1, -1, -kLargest};
  const Status status = CheckFiniteSums(DType::kF32, values.data(), large.data(), 3);
  EXPECT_NE(status.message().find(Element(2)), std::string::npos) << status;
  EXPECT_NE(status.message().find("kept back"), std::string::npos) << status;
}

TEST(FiniteTest, NothingIsFinite) { EXPECT_TRUE(CheckFinite(DType::kF32, nullptr, 0).ok()); }

TEST(FiniteTest, OnlyFloatsWithF32MastersHaveResiduals) {
  EXPECT_TRUE(CheckCompressible("2bit", DType::kF32).ok());
  EXPECT_TRUE(CheckCompressible("2bit", DType::kF16).ok());
  EXPECT_TRUE(CheckCompressible("2bit", DType::kBF16).ok());
  EXPECT_FALSE(CheckCompressible("2bit", DType::kF64).ok());
  EXPECT_NE(CheckCompressible("2bit", DType::kU8).message().find("u8"), std::string::npos);
}

}  // namespace
}  // namespace ps

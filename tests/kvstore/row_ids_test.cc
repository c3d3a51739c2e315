#include "kvstore/row_ids.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "ps/half.h"

namespace ps {
namespace {

template <typename T>
Tensor Ids(const std::vector<T>& values, DType dtype, Shape shape = {}) {
  if (shape.empty()) shape = {static_cast<std::int64_t>(values.size())};
  Tensor tensor = Tensor::Empty(shape, dtype);
  if (!values.empty()) tensor.CopyFrom(values.data());
  return tensor;
}

using Rows64 = std::vector<std::uint64_t>;

TEST(RowIdsTest, AreSortedOnceEachWhateverTheShape) {
  EXPECT_EQ(ReadRowIds(Ids<std::int64_t>({1, 1, 3, 0}, DType::kI64, {2, 2}), 4).value(), (Rows64{0, 1, 3}));
  EXPECT_EQ(ReadRowIds(Ids<std::int64_t>({}, DType::kI64, {0}), 4).value(), Rows64{});
}

TEST(RowIdsTest, AnyIntegerTypeWillDo) {
  EXPECT_EQ(ReadRowIds(Ids<std::uint8_t>({255, 2}, DType::kU8), 300).value(), (Rows64{2, 255}));
  EXPECT_EQ(ReadRowIds(Ids<std::int32_t>({7}, DType::kI32), 8).value(), Rows64{7});
  EXPECT_EQ(ReadRowIds(Ids<std::uint64_t>({1ULL << 40}, DType::kU64), std::int64_t{1} << 41).value(),
            Rows64{1ULL << 40});
}

TEST(RowIdsTest, FloatsMustBeWholeAndExact) {
  EXPECT_EQ(ReadRowIds(Ids<float>({3, 0}, DType::kF32, {2, 1}), 4).value(), (Rows64{0, 3}));
  EXPECT_EQ(ReadRowIds(Ids<double>({16777215}, DType::kF64), std::int64_t{1} << 30).value(),
            Rows64{16777215});
  EXPECT_EQ(ReadRowIds(Ids<Half>({Half(2.0F)}, DType::kF16), 4).value(), Rows64{2});
  for (const float wrong : {0.5F, -1.0F, 16777216.0F, 1e30F, std::numeric_limits<float>::quiet_NaN()})
    EXPECT_EQ(ReadRowIds(Ids<float>({wrong}, DType::kF32), std::int64_t{1} << 40).status().code(),
              StatusCode::kInvalidArgument)
        << wrong;
}

TEST(RowIdsTest, RowsThatAreNotThereAreNamed) {
  const Status high = ReadRowIds(Ids<std::int64_t>({0, 4}, DType::kI64), 4).status();
  EXPECT_EQ(high.code(), StatusCode::kInvalidArgument);
  EXPECT_NE(high.message().find("row 4"), std::string::npos) << high;
  const Status low = ReadRowIds(Ids<std::int64_t>({-1}, DType::kI64), 4).status();
  EXPECT_NE(low.message().find("-1"), std::string::npos) << low;
}

TEST(RowIdsTest, OtherTensorsAreRefused) {
  EXPECT_FALSE(ReadRowIds(Tensor(), 4).ok());
  EXPECT_FALSE(ReadRowIds(Ids<std::uint8_t>({1}, DType::kBool), 4).ok());
  const Tensor sparse =
      Tensor::RowSparse({4, 1}, Ids<std::int64_t>({1}, DType::kI64), Ids<float>({1}, DType::kF32, {1, 1}));
  EXPECT_NE(ReadRowIds(sparse, 4).status().message().find("Expected default storage type"),
            std::string::npos);
}

}  // namespace
}  // namespace ps

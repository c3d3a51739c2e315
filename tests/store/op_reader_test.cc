#include "store/op_reader.h"

#include <gtest/gtest.h>

#include <vector>

namespace ps {
namespace {

TableSpec Spec(TableSpec::Kind kind, std::int64_t width) {
  TableSpec spec;
  spec.name = "w";
  spec.kind = kind;
  spec.rows = kind == TableSpec::kDense ? 20 : 0;
  spec.width = width;
  return spec;
}

TEST(OpReaderTest, RowsOfADenseTableAreThoseOfTheServer) {
  const TableSpec spec = Spec(TableSpec::kDense, 2);
  const auto reader = OpReader::Make(spec, Range(5, 10));
  Op op;
  op.flags = Op::kWhole;
  const RowSet all = reader.value()->RowsOf(op, {}).value();
  EXPECT_EQ(all.begin, 5u);
  EXPECT_EQ(all.count, 5u);
  op.flags = 0;
  EXPECT_EQ(reader.value()->RowsOf(op, SArray<Key>{9, 5}).value().count, 2u);
  EXPECT_EQ(reader.value()->RowsOf(op, SArray<Key>{10}).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(reader.value()->RowsOf(op, SArray<Key>{4}).status().code(), StatusCode::kInvalidArgument);
}

TEST(OpReaderTest, AHashTableHasNoWholeAndTakesAnyKey) {
  const TableSpec spec = Spec(TableSpec::kHash, 2);
  const auto reader = OpReader::Make(spec, Range(0, 4096));
  Op op;
  EXPECT_TRUE(reader.value()->RowsOf(op, SArray<Key>{~Key{0}}).ok());
  op.flags = Op::kWhole;
  EXPECT_EQ(reader.value()->RowsOf(op, {}).status().code(), StatusCode::kInvalidArgument);
}

TEST(OpReaderTest, MoreBytesThanCanBeCountedAreRefused) {
  TableSpec spec = Spec(TableSpec::kHash, (std::int64_t{1} << 31) - 1);
  spec.dtype = DType::kF64;
  const auto reader = OpReader::Make(spec, Range(0, 4096));
  Key key = 0;
  const SArray<Key> keys(&key, std::size_t{1} << 30);  // nobody looks at them
  EXPECT_EQ(reader.value()->RowsOf(Op(), keys).status().code(), StatusCode::kInvalidArgument);
}

TEST(OpReaderTest, ValuesHaveTheSizeOfTheirRowsOrAreDecoded) {
  TableSpec spec = Spec(TableSpec::kDense, 2);
  SArray<char> vals(16, 0);
  bool is_borrowed = true;
  EXPECT_TRUE(OpReader::Make(spec, Range(0, 20)).value()->Decode(Op(), 2, &vals, &is_borrowed).ok());
  EXPECT_TRUE(is_borrowed);
  EXPECT_EQ(OpReader::Make(spec, Range(0, 20)).value()->Decode(Op(), 3, &vals, &is_borrowed).code(),
            StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace ps

#include "store/checkpoint/record.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/store/checkpoint/saved_table.h"

namespace ps {
namespace {

TEST(TableRecordTest, RoundTrips) {
  const TableRecord record = RecordOf(DenseSpec("dense", 50, 3), 2, Range(10, 20));
  const Result<TableRecord> again = DecodeTableRecord(EncodeTableRecord(record));
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_TRUE(again.value().spec == record.spec);
  EXPECT_EQ(again.value().num_states, 2);
  EXPECT_EQ(again.value().range, Range(10, 20));
  EXPECT_EQ(again.value().version, record.version);
  EXPECT_EQ(again.value().num_updates, record.num_updates);
  EXPECT_EQ(again.value().gate.version, 20u);
  ASSERT_EQ(again.value().gate.clocks.size(), 2u);
  EXPECT_EQ(again.value().gate.clocks[0].last, GateState::kStays);
  EXPECT_EQ(again.value().gate.clocks[1].completed, 30u);
  EXPECT_EQ(again.value().gate.clocks[1].last, 25u);
}

TEST(TableRecordTest, RefusesWhatCannotBe) {
  EXPECT_FALSE(DecodeTableRecord("").ok());
  EXPECT_FALSE(DecodeTableRecord("\xff\xff").ok());
  TableRecord record = RecordOf(DenseSpec("dense", 50, 3), 2, Range(10, 51));
  EXPECT_FALSE(DecodeTableRecord(EncodeTableRecord(record)).ok());
  record.range = Range(20, 10);
  EXPECT_FALSE(DecodeTableRecord(EncodeTableRecord(record)).ok());
  record.range = Range(10, 20);
  record.num_states = -1;
  EXPECT_FALSE(DecodeTableRecord(EncodeTableRecord(record)).ok());
  record.num_states = 1000;
  EXPECT_FALSE(DecodeTableRecord(EncodeTableRecord(record)).ok());
  record = RecordOf(HashSpec("hash", 3), 0, Range(0, 4097));
  EXPECT_FALSE(DecodeTableRecord(EncodeTableRecord(record)).ok());
  record = RecordOf(DenseSpec("", 50, 3), 2, Range(10, 20));
  EXPECT_FALSE(DecodeTableRecord(EncodeTableRecord(record)).ok());
}

TEST(TableRecordTest, SizesARowInItsMasterTypeWithItsStates) {
  TableRecord record = RecordOf(DenseSpec("dense", 50, 3), 2, Range(0, 50));
  EXPECT_EQ(record.RowBytes(), 3u * 4 * 3);
  record.spec.dtype = DType::kBF16;
  EXPECT_EQ(record.RowBytes(), 3u * 4 * 3);
  record.spec.dtype = DType::kI8;
  EXPECT_EQ(record.RowBytes(), 3u * 1 * 3);
}

// tbl-vec-82: wrong dtype, wrong shape.
TEST(TableRecordTest, NamesWhyRowsAreNotOfATable) {
  const TableSpec saved = DenseSpec("dense", 50, 3);
  TableSpec mine = saved;
  mine.consistency = Consistency::Asp();
  mine.push_codec = {"f16", 0};
  mine.min_split = 7;
  mine.updater_options = {{"lr", "0.1"}};
  mine.init = Init::Constant(5);
  EXPECT_TRUE(CheckRestorable(saved, mine).ok());
  const std::string prefix = "the checkpoint's table `dense` is another one than that of the job: ";
  mine = saved;
  mine.dtype = DType::kF64;
  EXPECT_EQ(CheckRestorable(saved, mine), Status::InvalidArgument(prefix + "dtype: f32 and f64"));
  mine = saved;
  mine.rows = 51;
  EXPECT_EQ(CheckRestorable(saved, mine), Status::InvalidArgument(prefix + "rows: 50 and 51"));
  mine = saved;
  mine.width = 4;
  EXPECT_EQ(CheckRestorable(saved, mine), Status::InvalidArgument(prefix + "width: 3 and 4"));
  mine = saved;
  mine.updater = "adam";
  EXPECT_EQ(CheckRestorable(saved, mine), Status::InvalidArgument(prefix + "updater: `add` and `adam`"));
  mine = saved;
  mine.kind = TableSpec::kHash;
  EXPECT_FALSE(CheckRestorable(saved, mine).ok());
}

}  // namespace
}  // namespace ps

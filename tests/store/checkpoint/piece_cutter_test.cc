#include "store/checkpoint/piece_cutter.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/store/checkpoint/saved_table.h"

namespace ps {
namespace {

TEST(PieceCutterTest, CutsRowsOutOfEveryArray) {
  const TableRecord record = RecordOf(DenseSpec("dense", 50, 3), 2, Range(0, 50));
  const std::vector<float> arrays = ArraysOf<float>({10, 11, 12, 13}, record);
  const Shard::Piece piece{RowSet::Range(10, 4), arrays.data(), arrays.size() * sizeof(float)};
  PieceCutter cutter;
  const Shard::Piece cut = cutter.Cut(record, piece, Range(11, 13));
  EXPECT_EQ(cut.rows.begin, 11u);
  ASSERT_EQ(cut.rows.count, 2u);
  const std::vector<float> expected = ArraysOf<float>({11, 12}, record);
  ASSERT_EQ(cut.bytes, expected.size() * sizeof(float));
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), static_cast<const float*>(cut.arrays)));
  EXPECT_EQ(cutter.Cut(record, piece, Range(0, 14)).arrays, piece.arrays) << "as it is, without a copy";
  EXPECT_EQ(cutter.Cut(record, piece, Range(0, 10)).rows.count, 0u);
  EXPECT_EQ(cutter.Cut(record, piece, Range(14, 50)).rows.count, 0u);
  EXPECT_EQ(cutter.Cut(record, piece, Range(12, 50)).rows.begin, 12u);
}

TEST(PieceCutterTest, ChoosesKeysByTheirSlots) {
  const TableRecord record = RecordOf(HashSpec("hash", 2), 1, Range(0, 4096));
  const std::vector<std::uint64_t> keys = {1, 2, 3, 4, 5, 6, 7, 8};
  const std::vector<double> arrays = ArraysOf<double>(keys, record);
  const Shard::Piece piece{RowSet::List(keys.data(), keys.size()), arrays.data(),
                           arrays.size() * sizeof(double)};
  const Range range(0, 2048);
  std::vector<std::uint64_t> chosen;
  for (const std::uint64_t key : keys) {
    if (Partition::SlotOf(key) < 2048) chosen.push_back(key);
  }
  ASSERT_TRUE(!chosen.empty() && chosen.size() < keys.size());
  PieceCutter cutter;
  const Shard::Piece cut = cutter.Cut(record, piece, range);
  ASSERT_EQ(std::vector<std::uint64_t>(cut.rows.keys, cut.rows.keys + cut.rows.count), chosen);
  const std::vector<double> expected = ArraysOf<double>(chosen, record);
  ASSERT_EQ(cut.bytes, expected.size() * sizeof(double));
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), static_cast<const double*>(cut.arrays)));
  EXPECT_EQ(cutter.Cut(record, piece, Range(0, 4096)).arrays, piece.arrays);
  EXPECT_EQ(cutter.Cut(record, piece, Range(5, 5)).rows.count, 0u);
}

}  // namespace
}  // namespace ps

#include "store/row_slab.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace ps {
namespace {

bool AllZero(RowSlab::Header* header, std::size_t bytes) {
  const char* const begin = BehindHeader(header);
  return std::all_of(begin, begin + bytes, [](char byte) { return byte == 0; });
}

TEST(RowSlabTest, RowsAreZerosWithTheirKey) {
  RowSlab slab(12);
  ASSERT_TRUE(slab.Reserve(3));
  EXPECT_GE(slab.num_available(), 3U);
  for (std::uint64_t key = 10; key < 13; ++key) {
    const std::uint32_t row = slab.Take(key);
    EXPECT_EQ(slab.At(row)->key, key);
    EXPECT_EQ(slab.At(row)->version, 0U);
    EXPECT_TRUE(AllZero(slab.At(row), 12));
  }
  EXPECT_EQ(slab.num_used(), 3U);
  EXPECT_EQ(slab.end(), 3U);
}

TEST(RowSlabTest, GivenRowsAreUsedAgainAsZeros) {
  RowSlab slab(16);
  ASSERT_TRUE(slab.Reserve(3));
  std::vector<std::uint32_t> rows;
  for (std::uint64_t key = 0; key < 3; ++key) {
    rows.push_back(slab.Take(key));
    std::fill_n(BehindHeader(slab.At(rows.back())), 16, 'x');
    slab.At(rows.back())->version = 5;
  }
  slab.Give(rows[0]);
  slab.Give(rows[2]);
  EXPECT_EQ(slab.At(rows[0])->version, RowSlab::kFree);
  EXPECT_EQ(slab.num_used(), 1U);
  std::vector<std::uint32_t> again = {slab.Take(7), slab.Take(8)};
  EXPECT_EQ(slab.end(), 3U);
  for (const std::uint32_t row : again) {
    EXPECT_TRUE(AllZero(slab.At(row), 16));
    EXPECT_EQ(slab.At(row)->version, 0U);
  }
  std::sort(again.begin(), again.end());
  EXPECT_EQ(again, (std::vector<std::uint32_t>{rows[0], rows[2]}));
}

TEST(RowSlabTest, RowsKeepTheirNumberAndContentsWhileItGrows) {
  for (const std::size_t row_bytes : {std::size_t{8}, std::size_t{1000}, std::size_t{3} << 20}) {
    RowSlab slab(row_bytes);
    const std::uint64_t count = row_bytes > 1000 ? 40 : 50000;
    for (std::uint64_t key = 0; key < count; ++key) {
      ASSERT_TRUE(slab.Reserve(1));
      ASSERT_EQ(slab.Take(key), key);
      *reinterpret_cast<std::uint64_t*>(BehindHeader(slab.At(static_cast<std::uint32_t>(key)))) = ~key;
    }
    for (std::uint64_t key = 0; key < count; ++key) {
      RowSlab::Header* const header = slab.At(static_cast<std::uint32_t>(key));
      ASSERT_EQ(header->key, key);
      ASSERT_EQ(*reinterpret_cast<std::uint64_t*>(BehindHeader(header)), ~key);
    }
  }
}

TEST(RowSlabTest, ThereAreNotMoreRowsThanNumbers) {
  RowSlab slab(8);
  EXPECT_FALSE(slab.Reserve(RowSlab::kMostRows + 1));
  EXPECT_EQ(slab.num_available(), 0U);
}

}  // namespace
}  // namespace ps

#include "store/partition.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "store/spec_bytes.h"

namespace ps {
namespace {

TableSpec Dense(std::int64_t rows, std::int64_t width = 1) {
  TableSpec spec;
  spec.name = "weights";
  spec.rows = rows;
  spec.width = width;
  spec.min_split = 0;
  return spec;
}

TableSpec Hash() {
  TableSpec spec;
  spec.name = "counts";
  spec.kind = TableSpec::kHash;
  return spec;
}

std::vector<std::uint64_t> Lengths(const Partition& partition) {
  std::vector<std::uint64_t> lengths;
  for (int server = 0; server < partition.num_servers(); ++server) {
    lengths.push_back(partition.RangeOf(server).size());
  }
  return lengths;
}

// tbl-vec-05
TEST(PartitionTest, LengthsDifferByAtMostOneAndTheLongerComeFirst) {
  EXPECT_EQ(Lengths(Partition(Dense(10), 3, false)), (std::vector<std::uint64_t>{4, 3, 3}));
  EXPECT_EQ(Lengths(Partition(Dense(7), 2, false)), (std::vector<std::uint64_t>{4, 3}));
  EXPECT_EQ(Lengths(Partition(Dense(9), 3, false)), (std::vector<std::uint64_t>{3, 3, 3}));
}

// tbl-vec-07, tbl-vec-21
TEST(PartitionTest, ServersBeyondTheRowsHaveNone) {
  const Partition partition(Dense(2), 4, false);
  EXPECT_EQ(Lengths(partition), (std::vector<std::uint64_t>{1, 1, 0, 0}));
  EXPECT_EQ(partition.servers(), Range(0, 2));
  EXPECT_EQ(partition.ServerOf(1), 1);
  EXPECT_EQ(Partition(Dense(1), 3, false).servers(), Range(0, 1));
}

void ExpectRangesInARow(const Partition& partition, std::uint64_t rows) {
  std::uint64_t next = 0;
  for (int server = 0; server < partition.num_servers(); ++server) {
    const Range range = partition.RangeOf(server);
    EXPECT_EQ(range.begin(), next);
    for (std::uint64_t row = range.begin(); row < range.end(); ++row)
      ASSERT_EQ(partition.ServerOf(row), server);
    next = range.end();
  }
  EXPECT_EQ(next, rows);
}

TEST(PartitionTest, RangesAreNextToEachOtherAndHoldTheirRows) {
  for (const std::int64_t rows : {1, 2, 3, 10, 1000, 4099}) {
    for (const int servers : {1, 2, 3, 7, 64}) {
      ExpectRangesInARow(Partition(Dense(rows), servers, false), static_cast<std::uint64_t>(rows));
    }
  }
}

TEST(PartitionTest, RowsBeyondFourBillionAreSpreadToo) {
  const std::int64_t rows = std::int64_t{1} << 52;
  const Partition partition(Dense(rows), 3, false);
  EXPECT_EQ(partition.RangeOf(2).end(), static_cast<std::uint64_t>(rows));
  EXPECT_EQ(partition.ServerOf(static_cast<std::uint64_t>(rows) - 1), 2);
  EXPECT_EQ(partition.ServerOf(0), 0);
}

TEST(PartitionTest, SmallTablesAndThoseThatMustBeSeenWholeLiveOnOneServer) {
  TableSpec spec = Dense(10, 5);
  spec.min_split = 50;
  std::set<int> homes;
  for (int i = 0; i < 100; ++i) {
    spec.name = "key" + std::to_string(i);
    const Partition partition(spec, 4, false);
    const int home = partition.ServerOf(0);
    EXPECT_EQ(home, static_cast<int>(TableId(spec.name) % 4));
    EXPECT_EQ(partition.servers(),
              Range(static_cast<std::uint64_t>(home), static_cast<std::uint64_t>(home) + 1));
    EXPECT_EQ(partition.RangeOf(home), Range(0, 10));
    EXPECT_EQ(partition.RangeOf((home + 1) % 4).size(), 0u);
    homes.insert(home);
  }
  EXPECT_EQ(homes.size(), 4u);
  spec.min_split = 49;
  EXPECT_EQ(Partition(spec, 4, false).servers(), Range(0, 4));
  EXPECT_EQ(Partition(spec, 4, true).servers().size(), 1u);
  EXPECT_EQ(Partition(Hash(), 4, true).servers().size(), 1u);
  EXPECT_EQ(Lengths(Partition(Hash(), 1, true)), std::vector<std::uint64_t>{4096});
}

// What is stored today is found by every later version.
TEST(PartitionTest, SlotsAreTheSameForAllTimes) {
  EXPECT_EQ(Mix64(0), 0u);
  EXPECT_EQ(Mix64(1), 0x5692161D100B05E5u);
  EXPECT_EQ(Partition::SlotOf(1), 0x569u);
  EXPECT_EQ(Partition::SlotOf(~std::uint64_t{0}), Mix64(~std::uint64_t{0}) >> 52);
}

// tbl-vec-15: any 64-bit key has its server; and keys in a row, or a power of two apart, do not crowd.
TEST(PartitionTest, KeysOfAnyPatternSpreadEvenly) {
  for (const std::uint64_t step :
       {std::uint64_t{1}, std::uint64_t{4096}, std::uint64_t{1} << 32, std::uint64_t{1} << 48}) {
    const Partition partition(Hash(), 3, false);
    std::vector<int> counts(3);
    for (std::uint64_t i = 0; i < 30000; ++i)
      ++counts[static_cast<std::size_t>(partition.ServerOf(i * step))];
    for (const int count : counts) EXPECT_NEAR(count, 10000, 500) << "step " << step;
  }
}

TEST(PartitionTest, MoreServersMoveSlotsWithoutMixingThem) {
  const Partition two(Hash(), 2, false);
  const Partition three(Hash(), 3, false);
  EXPECT_EQ(Lengths(three), (std::vector<std::uint64_t>{1366, 1365, 1365}));
  for (std::uint64_t key = 0; key < 1000; ++key) {
    const std::uint64_t slot = Partition::SlotOf(key);
    for (const Partition* partition : {&two, &three}) {
      const Range range = partition->RangeOf(partition->ServerOf(key));
      EXPECT_TRUE(range.begin() <= slot && slot < range.end());
    }
  }
  EXPECT_EQ(Partition(Hash(), 5000, false).servers(), Range(0, 4096));
}

void ExpectSplit(const Partition& partition, const std::vector<std::uint64_t>& keys, SplitKeys* split) {
  ASSERT_TRUE(partition.Split(keys.data(), keys.size(), split).ok());
  ASSERT_EQ(split->begins.size(), static_cast<std::size_t>(partition.num_servers()) + 1);
  EXPECT_EQ(split->begins.front(), 0u);
  EXPECT_EQ(split->begins.back(), keys.size());
  std::vector<bool> seen(keys.size());
  for (std::size_t server = 0; server + 1 < split->begins.size(); ++server) {
    ASSERT_LE(split->begins[server], split->begins[server + 1]);
    for (std::size_t i = split->begins[server]; i < split->begins[server + 1]; ++i) {
      EXPECT_EQ(split->keys[i], keys[split->places[i]]);
      EXPECT_EQ(partition.ServerOf(split->keys[i]), static_cast<int>(server));
      EXPECT_TRUE(i == split->begins[server] || split->places[i - 1] < split->places[i])
          << "not in the caller's order";
      seen[split->places[i]] = true;
    }
  }
  EXPECT_EQ(std::count(seen.begin(), seen.end(), true), static_cast<std::ptrdiff_t>(keys.size()));
}

TEST(PartitionTest, SplitsKeysInAnyOrderAndRepeated) {
  SplitKeys split;
  std::mt19937_64 random(7);
  TableSpec whole = Dense(100);
  whole.min_split = 100;
  for (const int servers : {1, 2, 3, 64, 300}) {
    std::vector<std::uint64_t> rows;
    std::vector<std::uint64_t> keys;
    for (int i = 0; i < 500; ++i) {
      rows.push_back(random() % 100);
      keys.push_back(random() % 3 == 0 ? 5 : random());
    }
    ExpectSplit(Partition(Dense(100), servers, false), rows, &split);
    ExpectSplit(Partition(whole, servers, false), rows, &split);
    std::sort(rows.begin(), rows.end());
    ExpectSplit(Partition(Dense(100), servers, false), rows, &split);
    ExpectSplit(Partition(Hash(), servers, false), keys, &split);
    ExpectSplit(Partition(Hash(), servers, true), keys, &split);
    ExpectSplit(Partition(Hash(), servers, false), {}, &split);
  }
}

// tbl-vec-28
TEST(PartitionTest, NamesARowThatIsNotThere) {
  SplitKeys split;
  for (const bool needs_whole : {false, true}) {
    const Partition partition(Dense(6), 2, needs_whole);
    const std::uint64_t beyond[] = {0, 6};
    EXPECT_EQ(partition.Split(beyond, 2, &split),
              Status::InvalidArgument("table `weights` has no row 6: it has 6 rows"));
    const std::uint64_t negative[] = {static_cast<std::uint64_t>(std::int64_t{-2})};
    EXPECT_EQ(partition.Split(negative, 1, &split),
              Status::InvalidArgument("table `weights` has no row -2: it has 6 rows"));
  }
}

TEST(PartitionTest, SplitsARangeOfRows) {
  const Partition partition(Dense(10), 4, false);  // 3 3 2 2
  std::vector<SplitRange> parts;
  ASSERT_TRUE(partition.Split(Range(2, 7), &parts).ok());
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_EQ(parts[0].server, 0);
  EXPECT_EQ(parts[0].rows, Range(2, 3));
  EXPECT_EQ(parts[1].rows, Range(3, 6));
  EXPECT_EQ(parts[2].rows, Range(6, 7));
  ASSERT_TRUE(partition.Split(Range(0, 10), &parts).ok());
  EXPECT_EQ(parts.size(), 4u);
  ASSERT_TRUE(partition.Split(Range(3, 3), &parts).ok());
  EXPECT_TRUE(parts.empty());
  ASSERT_TRUE(Partition(Dense(2), 4, false).Split(Range(0, 2), &parts).ok());
  EXPECT_EQ(parts.size(), 2u);
  EXPECT_FALSE(partition.Split(Range(2, 11), &parts).ok());
  EXPECT_FALSE(Partition(Hash(), 2, false).Split(Range(0, 1), &parts).ok());
}

}  // namespace
}  // namespace ps

#include "store/table_slots.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace ps {
namespace {

TableSpec Dense(const std::string& name, std::int64_t rows) {
  TableSpec spec;
  spec.name = name;
  spec.rows = rows;
  return spec;
}

TableSlots::Place PlaceOf(std::uint64_t begin, std::uint64_t end, int lanes) {
  TableSlots::Place place;
  place.range = Range(begin, end);
  place.num_lanes = lanes;
  return place;
}

TEST(TableSlotsTest, ALargeTableIsSharedByAllLanesAndASmallOneHasOne) {
  const auto large = TableSlots::Make(Dense("w", 1000000), PlaceOf(500000, 1000000, 4)).value();
  ASSERT_EQ(large->size(), 4u);
  std::uint64_t next = 500000;
  std::set<int> lanes;
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ((*large)[i].first_row, next);
    next += (*large)[i].num_rows;
    lanes.insert((*large)[i].lane);
  }
  EXPECT_EQ(next, 1000000u);
  EXPECT_EQ(lanes.size(), 4u);
  EXPECT_EQ(TableSlots::Make(Dense("w", 1000), PlaceOf(0, 1000, 4)).value()->size(), 1u);
}

TEST(TableSlotsTest, SmallTablesAreSpreadOverTheLanes) {
  std::set<int> lanes;
  for (int i = 0; i < 64; ++i)
    lanes.insert((*TableSlots::Make(Dense("k" + std::to_string(i), 10), PlaceOf(0, 10, 4)).value())[0].lane);
  EXPECT_EQ(lanes.size(), 4u);
}

TEST(TableSlotsTest, ARuleThatNeedsTheWholeHasOneSlot) {
  TableSpec spec = Dense("w", 1000000);
  spec.updater = "lamb";
  const auto slots = TableSlots::Make(spec, PlaceOf(0, 1000000, 4)).value();
  ASSERT_EQ(slots->size(), 1u);
  EXPECT_EQ((*slots)[0].num_rows, 1000000u);
}

TEST(TableSlotsTest, ARangeIsCutAtTheSlots) {
  const auto slots = TableSlots::Make(Dense("w", 400000), PlaceOf(0, 400000, 4)).value();
  const std::vector<Portion> portions = slots->Split(RowSet::Range(150000, 100000));
  EXPECT_EQ(portions[0].rows.count, 0u);
  EXPECT_EQ(portions[1].rows.begin, 150000u);
  EXPECT_EQ(portions[1].rows.count, 50000u);
  EXPECT_EQ(portions[1].first, 0u);
  EXPECT_EQ(portions[2].rows.begin, 200000u);
  EXPECT_EQ(portions[2].first, 50000u);
  EXPECT_EQ(portions[3].rows.count, 0u);
}

TEST(TableSlotsTest, EveryKeyOfAHashTableHasOneSlotAndAPieceFindsIt) {
  TableSpec spec = Dense("h", 0);
  spec.kind = TableSpec::kHash;
  const auto slots = TableSlots::Make(spec, PlaceOf(0, 4096, 3)).value();
  ASSERT_EQ(slots->size(), 3u);
  std::vector<std::uint64_t> keys;
  std::vector<float> values;
  for (std::uint64_t i = 0; i < 300; ++i) {
    keys.push_back(i * 0x9E3779B97F4A7C15u);
    values.push_back(static_cast<float>(i));
  }
  const RowSet rows = RowSet::List(keys.data(), keys.size());
  ASSERT_TRUE(slots->Restore({rows, values.data(), values.size() * sizeof(float)}).ok());
  std::size_t num_rows = 0;
  const std::vector<Portion> portions = slots->Split(rows);
  for (std::size_t slot = 0; slot < 3; ++slot) {
    EXPECT_GT((*slots)[slot].shard->num_rows(), 50u);
    num_rows += (*slots)[slot].shard->num_rows();
    std::vector<float> read(portions[slot].rows.count);
    (*slots)[slot].shard->Read(portions[slot].rows, read.data());
    for (std::size_t i = 0; i < read.size(); ++i) EXPECT_EQ(read[i], values[portions[slot].places[i]]);
  }
  EXPECT_EQ(num_rows, 300u);
}

TEST(TableSlotsTest, AnUpdaterThatIsNotForTheTableIsRefused) {
  TableSpec spec = Dense("w", 10);
  spec.dtype = DType::kI32;
  spec.updater = "adam";
  EXPECT_EQ(TableSlots::Make(spec, PlaceOf(0, 10, 1)).status().code(), StatusCode::kInvalidArgument);
}

TEST(TableSlotsTest, TheSlotsOfAnotherRuleAreTheSame) {
  const auto slots = TableSlots::Make(Dense("w", 1000000), PlaceOf(500000, 1000000, 4)).value();
  const auto adam = slots->WithRule({{"adam", {}}, false, {{{"lr", ".5"}}}});
  ASSERT_TRUE(adam.ok()) << adam.status();
  ASSERT_EQ(adam.value()->size(), slots->size());
  for (std::size_t i = 0; i < slots->size(); ++i) {
    const TableSlots::Slot& mine = (*adam.value())[i];
    EXPECT_EQ(mine.lane, (*slots)[i].lane);
    EXPECT_EQ(mine.first_row, (*slots)[i].first_row);
    EXPECT_EQ(mine.num_rows, (*slots)[i].num_rows);
    EXPECT_EQ(mine.updater->NumStates(), 2);
    EXPECT_EQ(mine.sum, nullptr);
  }
}

TEST(TableSlotsTest, ATableThatIsSharedCannotGetARuleForTheWhole) {
  const TableRule lamb{{"lamb", {}}, false, {}};
  const auto why_not = [&lamb](std::uint64_t end, int lanes) {
    return TableSlots::Make(Dense("w", 1000000), PlaceOf(0, end, lanes)).value()->WithRule(lamb).status();
  };
  EXPECT_TRUE(why_not(1000000, 1).ok());
  EXPECT_NE(why_not(500000, 1).message().find("servers share"), std::string::npos);
  EXPECT_NE(why_not(1000000, 2).message().find("threads"), std::string::npos);
  EXPECT_EQ(TableSlots::Make(Dense("w", 1000000), PlaceOf(0, 500000, 1), lamb).status().code(),
            StatusCode::kInvalidArgument);
}

TEST(TableSlotsTest, WhatThereIsNoMemoryForIsRefusedAndTheSlotsStay) {
  MemoryBudget budget(5000000);
  TableSlots::Place place = PlaceOf(0, 1000000, 2);
  place.budget = &budget;
  const auto slots = TableSlots::Make(Dense("w", 1000000), place).value();
  const std::uint64_t used = budget.used_bytes();
  EXPECT_EQ(slots->WithRule({{"adam", {}}, false, {}}).status().code(), StatusCode::kResourceExhausted);
  EXPECT_EQ(budget.used_bytes(), used);
}

}  // namespace
}  // namespace ps

#include "store/row_slots.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <random>
#include <unordered_map>
#include <vector>

namespace ps {
namespace {

using Slots = std::vector<std::uint32_t>;

Slots FindOrAdd(RowSlots* slots, const std::vector<std::uint64_t>& rows) {
  slots->Reserve(slots->rows().size() + rows.size());
  Slots found(rows.size());
  slots->FindOrAdd(RowSet::List(rows.data(), rows.size()), 0, rows.size(), found.data());
  return found;
}

TEST(RowSlotsTest, NumbersRowsInTheOrderInWhichTheyCome) {
  RowSlots slots;
  EXPECT_EQ(FindOrAdd(&slots, {7, UINT64_MAX, 7, 0}), (Slots{0, 1, 0, 2}));
  EXPECT_EQ(FindOrAdd(&slots, {0, 5}), (Slots{2, 3}));
  EXPECT_EQ(slots.rows(), (std::vector<std::uint64_t>{7, UINT64_MAX, 0, 5}));
}

TEST(RowSlotsTest, TakesRangesAndPartsOfSets) {
  RowSlots slots;
  slots.Reserve(10);
  std::uint32_t found[2];
  slots.FindOrAdd(RowSet::Range(100, 5), 3, 2, found);
  EXPECT_EQ(slots.rows(), (std::vector<std::uint64_t>{103, 104}));
  EXPECT_EQ(found[1], 1U);
}

TEST(RowSlotsTest, IsEmptyAfterAClearWhateverWasInIt) {
  constexpr std::uint64_t kSeed = 2;
  std::cout << "seed " << kSeed << "\n";
  std::mt19937_64 random(kSeed);
  RowSlots slots;
  slots.Reserve(5000);
  for (int round = 0; round < 200; ++round) {
    // Few rows in a large table are taken out one by one, many at a stroke.
    const std::size_t count = round % 3 == 0 ? 4000 : random() % 300;
    std::vector<std::uint64_t> rows(count);
    for (std::uint64_t& row : rows) row = random() % 3000;
    std::unordered_map<std::uint64_t, std::uint32_t> expected;
    const Slots found = FindOrAdd(&slots, rows);
    for (std::size_t i = 0; i < count; ++i) {
      const auto slot = static_cast<std::uint32_t>(expected.size());
      ASSERT_EQ(found[i], expected.emplace(rows[i], slot).first->second);
    }
    ASSERT_EQ(slots.rows().size(), expected.size());
    slots.Clear();
    ASSERT_TRUE(slots.rows().empty());
  }
}

}  // namespace
}  // namespace ps

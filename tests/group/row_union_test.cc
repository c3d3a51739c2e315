#include "group/row_union.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <vector>

namespace ps {
namespace {

using Ids = std::vector<std::int64_t>;

std::vector<RowIds> RowsOf(const std::vector<Ids>& sources) {
  std::vector<RowIds> rows;
  for (const Ids& ids : sources) rows.push_back({ids.data(), ids.size()});
  return rows;
}

Ids Unite(const std::vector<Ids>& sources) {
  std::size_t room = 0;
  for (const Ids& ids : sources) room += ids.size();
  Ids united(room);
  united.resize(UniteRows(RowsOf(sources), united.data()));
  return united;
}

Ids Place(const Ids& rows, const Ids& united) {
  Ids places(rows.size());
  PlaceRows({rows.data(), rows.size()}, {united.data(), united.size()}, places.data());
  return places;
}

TEST(RowUnionTest, HasEveryRowOnceInOrder) {
  const Ids united = Unite({{0, 2}, {1, 2}});
  EXPECT_EQ(united, (Ids{0, 1, 2}));
  EXPECT_EQ(Place({0, 2}, united), (Ids{0, 2}));
  EXPECT_EQ(Place({1, 2}, united), (Ids{1, 2}));
}

TEST(RowUnionTest, SourcesMayHaveNoRowsOrTheSame) {
  EXPECT_TRUE(Unite({}).empty());
  EXPECT_TRUE(Unite({{}, {}}).empty());
  EXPECT_EQ(Unite({{}, {7}, {}}), Ids{7});
  EXPECT_EQ(Unite({{7}, {}}), Ids{7});
  EXPECT_EQ(Unite({{3, 7}, {3, 7}, {3, 7}}), (Ids{3, 7}));
  EXPECT_EQ(Unite({{3, 7}, {3, 7, 9}}), (Ids{3, 7, 9}));
  EXPECT_TRUE(Place({}, {7}).empty());
}

TEST(RowUnionTest, RowsBetweenTwoMayBeAnyOfThem) {
  const Ids rows = {2, 5, 9};
  const auto between = [&](std::int64_t first, std::int64_t last) {
    const RowIds found = RowsBetween({rows.data(), rows.size()}, first, last);
    return Ids(found.ids, found.ids + found.count);
  };
  EXPECT_EQ(between(0, 100), rows);
  EXPECT_EQ(between(2, 9), rows);
  EXPECT_EQ(between(3, 8), Ids{5});
  EXPECT_EQ(between(5, 5), Ids{5});
  EXPECT_TRUE(between(6, 8).empty());
  EXPECT_TRUE(between(10, 11).empty());
}

Ids RandomIds(std::mt19937* random) {
  std::set<std::int64_t> chosen;
  for (std::size_t i = (*random)() % 40; i > 0; --i)
    chosen.insert(static_cast<std::int64_t>((*random)() % 60));
  return Ids(chosen.begin(), chosen.end());
}

TEST(RowUnionTest, PlacesLeadToTheSameIds) {
  std::mt19937 random(3);
  for (int round = 0; round < 50; ++round) {
    std::vector<Ids> sources(1 + random() % 5);
    std::set<std::int64_t> expected;
    for (Ids& ids : sources) {
      ids = RandomIds(&random);
      expected.insert(ids.begin(), ids.end());
    }
    const Ids united = Unite(sources);
    EXPECT_EQ(united, Ids(expected.begin(), expected.end()));
    for (const Ids& ids : sources) {
      Ids back;
      for (const std::int64_t place : Place(ids, united))
        back.push_back(united[static_cast<std::size_t>(place)]);
      EXPECT_EQ(back, ids);
    }
  }
}

}  // namespace
}  // namespace ps

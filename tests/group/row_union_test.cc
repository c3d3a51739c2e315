#include "group/row_union.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <vector>

namespace ps {
namespace {

using Ids = std::vector<std::int64_t>;

RowUnion Unite(const std::vector<Ids>& sources) {
  std::vector<RowIds> rows;
  for (const Ids& ids : sources) rows.push_back({ids.data(), ids.size()});
  return UniteRows(rows);
}

TEST(RowUnionTest, HasEveryRowOnceInOrder) {
  const RowUnion rows = Unite({{0, 2}, {1, 2}});
  EXPECT_EQ(rows.ids, (Ids{0, 1, 2}));
  ASSERT_EQ(rows.places.size(), 2U);
  EXPECT_EQ(rows.places[0], (Ids{0, 2}));
  EXPECT_EQ(rows.places[1], (Ids{1, 2}));
}

TEST(RowUnionTest, SourcesMayHaveNoRows) {
  EXPECT_TRUE(Unite({}).ids.empty());
  EXPECT_TRUE(Unite({{}, {}}).ids.empty());
  const RowUnion rows = Unite({{}, {7}, {}});
  EXPECT_EQ(rows.ids, Ids{7});
  EXPECT_TRUE(rows.places[0].empty());
  EXPECT_EQ(rows.places[1], Ids{0});
}

TEST(RowUnionTest, PlacesLeadToTheSameIds) {
  std::mt19937 random(3);
  for (int round = 0; round < 50; ++round) {
    std::vector<Ids> sources(1 + random() % 5);
    std::set<std::int64_t> expected;
    for (Ids& ids : sources) {
      std::set<std::int64_t> chosen;
      for (std::size_t i = random() % 40; i > 0; --i) chosen.insert(static_cast<std::int64_t>(random() % 60));
      ids.assign(chosen.begin(), chosen.end());
      expected.insert(chosen.begin(), chosen.end());
    }
    const RowUnion rows = Unite(sources);
    EXPECT_EQ(rows.ids, Ids(expected.begin(), expected.end()));
    for (std::size_t i = 0; i < sources.size(); ++i) {
      Ids back;
      for (const std::int64_t place : rows.places[i])
        back.push_back(rows.ids[static_cast<std::size_t>(place)]);
      EXPECT_EQ(back, sources[i]);
    }
  }
}

}  // namespace
}  // namespace ps

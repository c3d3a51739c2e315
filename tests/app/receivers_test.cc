#include "app/receivers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <utility>
#include <vector>

namespace ps {
namespace {

std::vector<int> Sorted(const Receivers& receivers) {
  std::vector<int> ids = receivers;
  std::sort(ids.begin(), ids.end());
  return ids;
}

TEST(ReceiversTest, TakesTheIdsOfAVectorAndGivesThemBack) {
  for (int count : {0, 1, 4, 5, 100}) {
    std::vector<int> ids;
    for (int i = 0; i < count; ++i) ids.push_back(8 + 2 * i);
    const Receivers receivers = ids;
    EXPECT_EQ(receivers.size(), ids.size());
    EXPECT_EQ(receivers.empty(), ids.empty());
    EXPECT_EQ(Sorted(receivers), ids);
  }
}

TEST(ReceiversTest, AMovedOneTakesThemAll) {
  for (int count : {3, 50}) {
    Receivers from = std::vector<int>(static_cast<std::size_t>(count), 7);
    const Receivers to = std::move(from);
    EXPECT_EQ(to.size(), static_cast<std::size_t>(count));
    EXPECT_TRUE(to.Has(7));
  }
}

TEST(ReceiversTest, CanBeUsedAgainAfterClear) {
  Receivers receivers = {8, 10, 12, 14, 16, 18};
  receivers.Clear();
  EXPECT_TRUE(receivers.empty());
  EXPECT_FALSE(receivers.Has(8));
  receivers.Add(9);
  EXPECT_EQ(Sorted(receivers), std::vector<int>{9});
}

TEST(ReceiversTest, AgreesWithASetUnderRandomEvents) {
  std::mt19937 random(3);
  Receivers receivers;
  std::set<int> model;
  for (int step = 0; step < 20000; ++step) {
    const int id = static_cast<int>(random() % 12);
    ASSERT_EQ(receivers.Has(id), model.count(id) != 0);
    if (receivers.Has(id)) {
      ASSERT_TRUE(receivers.Remove(id));
      model.erase(id);
    } else {
      ASSERT_FALSE(receivers.Remove(id));
      receivers.Add(id);
      model.insert(id);
    }
    ASSERT_EQ(Sorted(receivers), std::vector<int>(model.begin(), model.end()));
  }
}

}  // namespace
}  // namespace ps

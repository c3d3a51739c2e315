#include "ps/internal/inline_vector.h"

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <stdexcept>
#include <utility>
#include <vector>

namespace ps::internal {
namespace {

using Numbers = InlineVector<int, 3>;
using Owners = InlineVector<std::shared_ptr<int>, 3>;

TEST(InlineVectorTest, IsMadeAndUsedLikeAVector) {
  const Numbers none;
  EXPECT_TRUE(none.empty());
  Numbers numbers = {1, 2};
  numbers.push_back(3);
  numbers.emplace_back(4);
  EXPECT_EQ(numbers, (std::vector<int>{1, 2, 3, 4}));
  EXPECT_EQ(numbers.size(), 4u);
  EXPECT_EQ(numbers.front(), 1);
  EXPECT_EQ(numbers.back(), 4);
  numbers.erase(numbers.begin() + 1);
  EXPECT_EQ(numbers, (Numbers{1, 3, 4}));
  numbers.pop_back();
  numbers[0] = 7;
  EXPECT_EQ(static_cast<std::vector<int>>(numbers), (std::vector<int>{7, 3}));
  EXPECT_EQ(numbers.at(1), 3);
  EXPECT_THROW(numbers.at(2), std::out_of_range);
  EXPECT_THROW(Numbers().at(0), std::out_of_range);
  int sum = 0;
  for (const int number : numbers) sum += number;
  EXPECT_EQ(sum, 10);
}

TEST(InlineVectorTest, MovingAwayLeavesItEmpty) {
  for (const size_t size : {0u, 2u, 3u, 4u, 9u}) {
    Numbers from(size, 5);
    Numbers to = std::move(from);
    EXPECT_TRUE(from.empty());  // NOLINT(bugprone-use-after-move): that is the promise
    EXPECT_EQ(to, Numbers(size, 5));
    from.push_back(1);
    EXPECT_EQ(from, Numbers{1});
    from = std::move(to);
    EXPECT_TRUE(to.empty());  // NOLINT(bugprone-use-after-move): that is the promise
    EXPECT_EQ(from.size(), size);
    Numbers& same = from;
    from = std::move(same);
    EXPECT_EQ(from.size(), size);
  }
}

TEST(InlineVectorTest, ElementsThatGoAreLetGo) {
  const auto owned = std::make_shared<int>(1);
  Owners owners;
  for (int i = 0; i < 5; ++i) {
    owners.push_back(owned);
    EXPECT_EQ(owned.use_count(), 2 + i);
  }
  owners.resize(2);
  EXPECT_EQ(owned.use_count(), 3);
  owners.resize(6);
  EXPECT_EQ(owners[5], nullptr);
  Owners few = {owned, owned};
  few.pop_back();
  EXPECT_EQ(owned.use_count(), 4);
  few.resize(3);
  EXPECT_EQ(few[1], nullptr);
  few.clear();
  owners.clear();
  EXPECT_EQ(owned.use_count(), 1);
  owners.push_back(owned);
  EXPECT_EQ(owners.size(), 1u);
}

TEST(InlineVectorTest, GrowsByOneOfItsElements) {
  std::vector<std::shared_ptr<int>> theirs = {std::make_shared<int>(1), std::make_shared<int>(2)};
  InlineVector<std::shared_ptr<int>, 2> ours = theirs;
  ours.resize(7, ours[0]);
  theirs.resize(7, theirs[0]);
  EXPECT_EQ(ours, theirs);
}

TEST(InlineVectorTest, HasWhatProgramsUseOfAVector) {
  std::vector<int> theirs = {1, 2, 3};
  Numbers ours = theirs;
  ours.insert(ours.begin() + 1, 7), theirs.insert(theirs.begin() + 1, 7);
  ours.insert(ours.end(), theirs.begin(), theirs.end());
  theirs.insert(theirs.end(), {1, 7, 2, 3});
  EXPECT_EQ(ours, theirs);
  EXPECT_EQ(std::vector<int>(ours.rbegin(), ours.rend()), std::vector<int>(theirs.rbegin(), theirs.rend()));
  Numbers other = {9};
  ours.swap(other);
  EXPECT_EQ(ours, Numbers{9});
  EXPECT_EQ(other, theirs);
}

TEST(InlineVectorTest, DoesWhatAVectorDoes) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    Numbers ours;
    std::vector<int> theirs;
    for (int step = 0; step < 30; ++step) {
      const int value = static_cast<int>(random() % 100);
      switch (random() % 6) {
        case 0: ours.resize(value % 7, value), theirs.resize(value % 7, value); break;
        case 1: ours.clear(), theirs.clear(); break;
        case 2: ours = std::exchange(ours, Numbers()); break;
        case 3: ours.reserve(value % 9); break;
        default: ours.push_back(value), theirs.push_back(value); break;
      }
      ASSERT_EQ(ours, theirs);
      const Numbers copy = ours;
      ASSERT_EQ(copy, ours);
    }
  }
}

}  // namespace
}  // namespace ps::internal

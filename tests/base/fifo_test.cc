#include "base/fifo.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <random>
#include <utility>

namespace ps {
namespace {

TEST(FifoTest, GivesItemsInTheOrderTheyCame) {
  Fifo<int> fifo;
  EXPECT_TRUE(fifo.empty());
  for (int i = 0; i < 100; ++i) fifo.Push(int{i});
  EXPECT_EQ(fifo.size(), 100u);
  EXPECT_EQ(fifo[99], 99);
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(fifo.Front(), i);
    EXPECT_EQ(fifo.Pop(), i);
  }
  EXPECT_TRUE(fifo.empty());
}

TEST(FifoTest, LetsGoOfWhatAnItemHoldsWhenItIsTaken) {
  Fifo<std::shared_ptr<int>> fifo;
  auto held = std::make_shared<int>(4);
  fifo.Push(std::shared_ptr<int>(held));
  EXPECT_EQ(held.use_count(), 2);
  fifo.Pop();
  EXPECT_EQ(held.use_count(), 1);
}

TEST(FifoTest, MovesItemsThatCannotBeCopiedAlsoWhenItGrows) {
  Fifo<std::unique_ptr<int>> fifo;
  for (int i = 0; i < 50; ++i) fifo.Push(std::make_unique<int>(i));
  for (int i = 0; i < 50; ++i) EXPECT_EQ(*fifo.Pop(), i);
}

TEST(FifoTest, AgreesWithADequeUnderRandomEvents) {
  std::mt19937 random(11);
  Fifo<int> fifo;
  std::deque<int> model;
  for (int step = 0; step < 200000; ++step) {
    // Fills up and empties by turns, beyond what it keeps.
    const bool fills = (step / 5000) % 2 == 0;
    const unsigned what = random() % 8;
    if (what < (fills ? 6u : 2u)) {
      fifo.Push(int{step});
      model.push_back(step);
    } else if (!model.empty()) {
      ASSERT_EQ(fifo.Pop(), model.front());
      model.pop_front();
    }
    if (random() % 5000 == 0) {
      const auto matches = [](int item) { return item % 3 == 0; };
      fifo.RemoveIf(matches);
      model.erase(std::remove_if(model.begin(), model.end(), matches), model.end());
    }
    ASSERT_EQ(fifo.size(), model.size());
    if (model.empty()) continue;
    const std::size_t place = random() % model.size();
    ASSERT_EQ(fifo[place], model[place]);
  }
}

}  // namespace
}  // namespace ps

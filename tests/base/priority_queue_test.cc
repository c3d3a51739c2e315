#include "base/priority_queue.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace ps {
namespace {

std::vector<int> Drain(PriorityQueue<int>* queue) {
  std::vector<int> order;
  while (!queue->empty()) order.push_back(queue->Pop());
  return order;
}

TEST(PriorityQueueTest, HigherPriorityComesFirst) {
  PriorityQueue<int> queue;
  queue.Push(0, 1);
  queue.Push(-3, 2);
  queue.Push(7, 3);
  EXPECT_EQ(queue.Front(), 3);
  EXPECT_EQ(queue.front_priority(), 7);
  EXPECT_EQ(Drain(&queue), (std::vector<int>{3, 1, 2}));
}

TEST(PriorityQueueTest, EqualPrioritiesKeepTheirOrderAlsoBetweenPops) {
  PriorityQueue<int> queue;
  for (int i = 0; i < 6; ++i) queue.Push(0, i);
  EXPECT_EQ(queue.Pop(), 0);
  for (int i = 6; i < 12; ++i) queue.Push(0, i);
  EXPECT_EQ(Drain(&queue), (std::vector<int>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}));
}

TEST(PriorityQueueTest, SizeFollowsEveryChange) {
  PriorityQueue<int> queue;
  EXPECT_TRUE(queue.empty());
  queue.Push(1, 1);
  queue.Push(2, 2);
  EXPECT_EQ(queue.size(), 2u);
  queue.Pop();
  EXPECT_EQ(queue.size(), 1u);
  queue.Pop();
  EXPECT_TRUE(queue.empty());
}

TEST(PriorityQueueTest, RemoveIfTakesMatchesOutOfEveryPriority) {
  PriorityQueue<int> queue;
  for (int i = 0; i < 10; ++i) queue.Push(i % 3, i);
  EXPECT_EQ(queue.RemoveIf([](int item) { return item % 2 == 0; }), 5u);
  EXPECT_EQ(queue.size(), 5u);
  EXPECT_EQ(Drain(&queue), (std::vector<int>{5, 1, 7, 3, 9}));
}

TEST(PriorityQueueTest, RemoveIfOfAWholePriorityLeavesTheRestReachable) {
  PriorityQueue<int> queue;
  queue.Push(5, 50);
  queue.Push(1, 10);
  EXPECT_EQ(queue.RemoveIf([](int item) { return item == 50; }), 1u);
  EXPECT_EQ(queue.Front(), 10);
}

TEST(PriorityQueueTest, VisitsInTheOrderOfPop) {
  PriorityQueue<int> queue;
  queue.Push(0, 2);
  queue.Push(1, 1);
  queue.Push(0, 3);
  std::vector<int> seen;
  queue.for_each([&seen](int item) { seen.push_back(item); });
  EXPECT_EQ(seen, (std::vector<int>{1, 2, 3}));
}

TEST(PriorityQueueTest, AVisitorMayChangeTheItems) {
  PriorityQueue<int> queue;
  queue.Push(0, 2);
  queue.Push(1, 1);
  queue.for_each([](int& item) { item *= 10; });
  EXPECT_EQ(queue.Pop(), 10);
  EXPECT_EQ(queue.Pop(), 20);
}

TEST(PriorityQueueTest, MovesItemsThatCannotBeCopied) {
  PriorityQueue<std::unique_ptr<int>> queue;
  queue.Push(0, std::make_unique<int>(4));
  EXPECT_EQ(*queue.Pop(), 4);
}

TEST(PriorityQueueTest, PopsIntoAnItemToo) {
  PriorityQueue<std::unique_ptr<int>> queue;
  for (int i = 0; i < 3; ++i) queue.Push(i, std::make_unique<int>(i));
  std::unique_ptr<int> item;
  for (int i = 2; i >= 0; --i) {
    queue.Pop(&item);
    EXPECT_EQ(*item, i);
  }
  EXPECT_TRUE(queue.empty());
}

TEST(PriorityQueueTest, ManyPrioritiesComeAndGo) {
  PriorityQueue<int> queue;
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 1000; ++i) queue.Push((i * 7919) % 1000, i);
    int last = 1000;
    while (!queue.empty()) {
      EXPECT_LT(queue.front_priority(), last);
      last = queue.front_priority();
      EXPECT_EQ((queue.Pop() * 7919) % 1000, last);
    }
  }
}

}  // namespace
}  // namespace ps

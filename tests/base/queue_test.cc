#include "base/queue.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "base/thread.h"
#include "ps/internal/threadsafe_queue.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

class BlockingQueueTest : public testing::Test {
 private:
  Watchdog watchdog_;
};

TEST_F(BlockingQueueTest, GivesItemsInTheOrderTheyCame) {
  BlockingQueue<int> queue;
  EXPECT_TRUE(queue.Push(1));
  EXPECT_TRUE(queue.Push(2));
  EXPECT_EQ(queue.size(), 2u);
  EXPECT_EQ(queue.Pop(), 1);
  EXPECT_EQ(queue.TryPop(), 2);
  EXPECT_EQ(queue.TryPop(), std::nullopt);
}

TEST_F(BlockingQueueTest, CloseRefusesNewItemsButKeepsOldOnes) {
  BlockingQueue<int> queue;
  queue.Push(1);
  queue.Close();
  queue.Close();
  EXPECT_FALSE(queue.Push(2));
  EXPECT_EQ(queue.Pop(), 1);
  EXPECT_EQ(queue.Pop(), std::nullopt);
}

TEST_F(BlockingQueueTest, CloseWakesEveryWaiter) {
  BlockingQueue<int> queue;
  BlockingQueue<bool> ended;
  std::vector<std::unique_ptr<Thread>> threads;
  for (int i = 0; i < 3; ++i) {
    threads.push_back(
        std::make_unique<Thread>("pop", [&queue, &ended] { ended.Push(!queue.Pop().has_value()); }));
  }
  queue.Close();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(ended.Pop(), true);
}

TEST_F(BlockingQueueTest, PopUntilGivesUpAtItsDeadline) {
  BlockingQueue<int> queue;
  const Deadline deadline = Deadline::After(10);
  EXPECT_EQ(queue.PopUntil(deadline), std::nullopt);
  EXPECT_TRUE(deadline.expired(Clock::Real().NowMs()));
}

TEST_F(BlockingQueueTest, PopUntilAfterItsDeadlineStillTakesWhatIsThere) {
  BlockingQueue<int> queue;
  queue.Push(3);
  EXPECT_EQ(queue.PopUntil(Deadline::After(-1)), 3);
}

TEST_F(BlockingQueueTest, EveryItemOfManyPushersIsTakenOnce) {
  BlockingQueue<int> queue;
  constexpr int kEach = 500;
  int sum = 0;
  {
    std::vector<std::unique_ptr<Thread>> threads;
    for (int i = 0; i < 3; ++i) {
      threads.push_back(std::make_unique<Thread>("push", [&queue] {
        for (int n = 1; n <= kEach; ++n) queue.Push(n);
      }));
    }
    for (int n = 0; n < 3 * kEach; ++n) sum += *queue.Pop();
  }
  EXPECT_EQ(sum, 3 * kEach * (kEach + 1) / 2);
  EXPECT_EQ(queue.size(), 0u);
}

TEST_F(BlockingQueueTest, MovesItemsThatCannotBeCopied) {
  BlockingQueue<std::unique_ptr<int>> queue;
  queue.Push(std::make_unique<int>(9));
  EXPECT_EQ(**queue.Pop(), 9);
}

TEST(ThreadsafeQueueTest, WaitsForTheNextItem) {
  Watchdog watchdog;
  ThreadsafeQueue<std::string> queue;
  Thread pusher("push", [&queue] {
    queue.Push("a");
    queue.Push("b");
  });
  std::string first;
  std::string second;
  queue.WaitAndPop(&first);
  queue.WaitAndPop(&second);
  EXPECT_EQ(first + second, "ab");
}

}  // namespace
}  // namespace ps

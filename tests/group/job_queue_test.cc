#include "group/job_queue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <future>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

#include "base/mutex.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

class JobQueueTest : public testing::Test {
 protected:
  // Keeps a thread until it is told.
  void Block(JobQueue* queue, JobQueue::Kind kind) {
    std::promise<void> begun;
    queue->Post(kind, 1000, [&begun, go = go_.get_future().share()] {
      begun.set_value();
      go.wait();
    });
    begun.get_future().wait();
  }
  JobQueue::Job Note(int number) {
    return [this, number] {
      MutexLock lock(mutex_);
      order_.push_back(number);
    };
  }
  std::vector<int> Order() {
    MutexLock lock(mutex_);
    return order_;
  }
  void WaitForAll(JobQueue* queue, JobQueue::Kind kind) {
    std::promise<void> done;
    queue->Post(kind, -1000, [&done] { done.set_value(); });
    done.get_future().wait();
  }

  Watchdog watchdog_;
  Workers workers_{1, 1, 2};
  std::promise<void> go_;
  Mutex mutex_;
  std::vector<int> order_ PS_GUARDED_BY(mutex_);
};

TEST_F(JobQueueTest, HigherPrioritiesGoFirstAndEqualOnesInOrder) {
  JobQueue queue(&workers_, this, {1, 1});
  Block(&queue, JobQueue::kMerge);
  const int priorities[] = {0, 1, 0, 3, 1};
  for (int i = 0; i < 5; ++i) queue.Post(JobQueue::kMerge, priorities[i], Note(i));
  go_.set_value();
  WaitForAll(&queue, JobQueue::kMerge);
  EXPECT_EQ(Order(), (std::vector<int>{3, 1, 4, 0, 2}));
}

TEST_F(JobQueueTest, AKindAtItsLimitLeavesOthersAlone) {
  JobQueue queue(&workers_, this, {1, 1});
  Block(&queue, JobQueue::kMerge);
  queue.Post(JobQueue::kMerge, 5, Note(1));
  queue.Post(JobQueue::kDeliver, 0, Note(2));
  WaitForAll(&queue, JobQueue::kDeliver);
  EXPECT_EQ(Order(), std::vector<int>{2});
  go_.set_value();
  WaitForAll(&queue, JobQueue::kMerge);
  EXPECT_EQ(Order(), (std::vector<int>{2, 1}));
}

TEST_F(JobQueueTest, NoMoreOfAKindAtOnceThanAllowed) {
  Workers many(1, 1, 6);
  JobQueue queue(&many, this, {2, 3});
  std::atomic<int> now[2] = {{0}, {0}};
  std::atomic<int> most[2] = {{0}, {0}};
  for (int i = 0; i < 400; ++i) {
    const int kind = i % 2;
    queue.Post(kind == 0 ? JobQueue::kMerge : JobQueue::kDeliver, 0, [&, kind] {
      const int here = ++now[kind];
      int seen = most[kind];
      while (seen < here && !most[kind].compare_exchange_weak(seen, here)) {
      }
      std::this_thread::yield();
      --now[kind];
    });
  }
  WaitForAll(&queue, JobQueue::kMerge);
  WaitForAll(&queue, JobQueue::kDeliver);
  queue.Close();
  EXPECT_LE(most[0], 2);
  EXPECT_LE(most[1], 3);
}

TEST_F(JobQueueTest, WhatAJobThrowsHurtsNobodyElse) {
  JobQueue queue(&workers_, this, {1, 1});
  queue.Post(JobQueue::kMerge, 0, [] { throw std::runtime_error("is logged"); });
  queue.Post(JobQueue::kMerge, 0, Note(1));
  WaitForAll(&queue, JobQueue::kMerge);
  EXPECT_EQ(Order(), std::vector<int>{1});
}

TEST_F(JobQueueTest, CloseWaitsForWhatRunsAndDropsWhatHasNotBegun) {
  JobQueue queue(&workers_, this, {1, 1});
  Block(&queue, JobQueue::kMerge);
  queue.Post(JobQueue::kMerge, 0, Note(1));
  std::atomic<bool> closed{false};
  std::thread closer([&] {
    queue.Close();
    closed = true;
  });
  while (queue.Post(JobQueue::kDeliver, 0, [] {})) std::this_thread::yield();
  EXPECT_FALSE(closed);
  go_.set_value();
  closer.join();
  EXPECT_TRUE(Order().empty());
}

TEST_F(JobQueueTest, AJobMayCloseItsQueue) {
  auto queue = std::make_unique<JobQueue>(&workers_, this, JobQueue::Limits{2, 1});
  std::promise<void> done;
  for (int i = 0; i < 2; ++i) {
    queue->Post(JobQueue::kMerge, 0, [&, i] {
      queue->Close();
      queue->Close();
      if (i == 0) done.set_value();
    });
  }
  done.get_future().wait();
  queue.reset();
}

TEST_F(JobQueueTest, CloseFromOutsideWaitsForAJobThatHasCalledIt) {
  JobQueue queue(&workers_, this, {1, 1});
  std::promise<void> has_closed;
  std::atomic<bool> closed{false};
  queue.Post(JobQueue::kMerge, 0, [&, go = go_.get_future().share()] {
    queue.Close();
    has_closed.set_value();
    go.wait();
    Note(1)();
  });
  has_closed.get_future().wait();
  std::thread closer([&] {
    queue.Close();
    closed = true;
    EXPECT_EQ(Order(), std::vector<int>{1});
  });
  for (int i = 0; i < 1000 && !closed; ++i) std::this_thread::yield();
  go_.set_value();
  closer.join();
}

TEST_F(JobQueueTest, ASecondCloseWaitsForWhatTheFirstOneRuns) {
  Workers none(1, 1, 0);
  JobQueue queue(&none, this, {1, 1});
  std::promise<void> runs;
  queue.Post(JobQueue::kFollow, 0, [&, go = go_.get_future().share()] {
    queue.Close();  // does not wait for itself
    runs.set_value();
    go.wait();
    Note(1)();
  });
  std::thread first([&] { queue.Close(); });
  runs.get_future().wait();
  std::atomic<bool> closed{false};
  std::thread second([&] {
    queue.Close();
    closed = true;
    EXPECT_EQ(Order(), std::vector<int>{1});
  });
  for (int i = 0; i < 1000 && !closed; ++i) std::this_thread::yield();
  go_.set_value();
  first.join();
  second.join();
}

TEST_F(JobQueueTest, WhatFollowsOthersRunsEvenAtTheEnd) {
  JobQueue queue(&workers_, this, {1, 1});
  Workers none(1, 1, 0);  // nobody takes up what is posted
  JobQueue idle(&none, this, {1, 1});
  idle.Post(JobQueue::kFollow, 0, Note(1));
  idle.Post(JobQueue::kMerge, 0, Note(2));
  idle.Close();
  EXPECT_EQ(Order(), std::vector<int>{1});
}

}  // namespace
}  // namespace ps

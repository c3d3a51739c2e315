#include "store/executors.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <future>
#include <thread>
#include <vector>

#include "postoffice/binding.h"
#include "ps/local_cluster.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

TEST(ExecutorsTest, WithoutThreadsWhoPostsRunsIt) {
  Executors executors(0);
  EXPECT_EQ(executors.num_lanes(), 1);
  EXPECT_TRUE(executors.IsInline(0));
  std::thread::id ran;
  executors.Post(0, [&] { ran = std::this_thread::get_id(); });
  EXPECT_EQ(ran, std::this_thread::get_id());
}

TEST(ExecutorsTest, ALaneRunsInOrderOnOneThreadOfItsOwn) {
  Watchdog watchdog;
  Executors executors(2);
  EXPECT_EQ(executors.num_lanes(), 2);
  EXPECT_FALSE(executors.IsInline(0));
  std::vector<int> seen[2];
  std::thread::id threads[2];
  for (int i = 0; i < 1000; ++i) {
    for (int lane = 0; lane < 2; ++lane) {
      executors.Post(lane, [&, i, lane] {
        seen[lane].push_back(i);
        threads[lane] = std::this_thread::get_id();
      });
    }
  }
  executors.Close();
  for (int lane = 0; lane < 2; ++lane) {
    ASSERT_EQ(seen[lane].size(), 1000u);
    for (int i = 0; i < 1000; ++i) EXPECT_EQ(seen[lane][static_cast<std::size_t>(i)], i);
  }
  EXPECT_NE(threads[0], threads[1]);
}

TEST(ExecutorsTest, WhatMustNotRunInlineHasAThreadAllTheSame) {
  Watchdog watchdog;
  Executors executors(0);
  const int apart = executors.LaneApart();
  EXPECT_FALSE(executors.IsInline(apart));
  std::vector<int> seen;
  std::thread::id ran;
  for (int i = 0; i < 100; ++i) {
    executors.Post(apart, [&, i] {
      seen.push_back(i);
      ran = std::this_thread::get_id();
    });
  }
  executors.Drain();
  EXPECT_EQ(seen.size(), 100u);
  EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
  EXPECT_NE(ran, std::this_thread::get_id());
  std::atomic<int> everywhere{0};
  executors.PostToAll([&] { ++everywhere; });
  executors.Close();
  EXPECT_EQ(everywhere, 2);
  EXPECT_EQ(executors.LaneApart(), apart) << "it stays where it was, and starts no more";
}

TEST(ExecutorsTest, CloseRunsWhatIsQueuedAndDropsWhatComesLater) {
  Watchdog watchdog;
  std::atomic<int> ran{0};
  Executors executors(1);
  std::promise<void> go;
  executors.Post(0, [&, future = go.get_future().share()] {
    future.wait();
    ++ran;
  });
  executors.Post(0, [&] { ++ran; });
  go.set_value();
  executors.Close();
  executors.Close();
  EXPECT_EQ(ran, 2);
  executors.Post(0, [&] { ++ran; });
  EXPECT_EQ(ran, 2);
}

TEST(ExecutorsTest, CodeOnALaneKnowsItsNode) {
  Watchdog watchdog;
  LocalCluster cluster(1, 1);
  Postoffice* const node = &cluster.server(0);
  for (const int num_threads : {0, 2}) {
    Executors executors(num_threads, node);
    EXPECT_FALSE(executors.IsThread());
    Postoffice* bound = nullptr;
    bool is_thread = false;
    executors.Post(executors.LaneApart(), [&] {
      bound = BoundPostoffice();
      is_thread = executors.IsThread();
    });
    executors.Close();
    EXPECT_EQ(bound, node);
    EXPECT_TRUE(is_thread);
  }
}

TEST(ExecutorsTest, ATaskThatThrowsEndsNothing) {
  Watchdog watchdog;
  std::atomic<int> ran{0};
  Executors executors(1);
  executors.Post(0, [] { throw std::runtime_error("broken"); });
  executors.Post(0, [&] { ++ran; });
  executors.Close();
  EXPECT_EQ(ran, 1);
}

TEST(ExecutorsTest, DrainReturnsWhenAllThatWasPostedHasRun) {
  Executors executors(3);
  std::atomic<int> num_run{0};
  for (int i = 0; i < 300; ++i) executors.Post(i % 3, [&] { ++num_run; });
  executors.Drain();
  EXPECT_EQ(num_run, 300);
  executors.Close();
  executors.Drain();
}

}  // namespace
}  // namespace ps

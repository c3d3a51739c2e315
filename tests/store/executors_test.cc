#include "store/executors.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <thread>
#include <vector>

#include "tests/support/watchdog.h"

namespace ps {
namespace {

TEST(ExecutorsTest, WithoutThreadsWhoPostsRunsIt) {
  Executors executors(0);
  EXPECT_EQ(executors.num_lanes(), 1);
  std::thread::id ran;
  executors.Post(0, [&] { ran = std::this_thread::get_id(); });
  EXPECT_EQ(ran, std::this_thread::get_id());
}

TEST(ExecutorsTest, ALaneRunsInOrderOnOneThreadOfItsOwn) {
  Watchdog watchdog;
  Executors executors(2);
  EXPECT_EQ(executors.num_lanes(), 2);
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

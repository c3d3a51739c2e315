#include "ps/async_buffer.h"

#include <gtest/gtest.h>

#include <future>
#include <stdexcept>
#include <vector>

#include "ps/status.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

class AsyncBufferTest : public testing::Test {
 private:
  Watchdog watchdog_;
};

TEST_F(AsyncBufferTest, BringsWhatWasFilledInOrder) {
  int next = 0;
  AsyncBuffer<int> buffer([&next](int* to) { *to = next++; });
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(*buffer.Get(), i);
}

TEST_F(AsyncBufferTest, FillsTheOtherBufferWhileOneIsInUse) {
  std::promise<void> second_is_full;
  int fills = 0;
  AsyncBuffer<std::vector<int>> buffer([&](std::vector<int>* to) {
    to->assign(100, ++fills);
    if (fills == 2) second_is_full.set_value();
  });
  const std::vector<int>* const first = buffer.Get();
  second_is_full.get_future().wait();  // without another Get
  EXPECT_EQ(*first, std::vector<int>(100, 1)) << "the buffer in use was filled";
  const std::vector<int>* const second = buffer.Get();
  EXPECT_NE(first, second);
  EXPECT_EQ(*second, std::vector<int>(100, 2));
}

TEST_F(AsyncBufferTest, UsesTheCallersBuffersInTurns) {
  int own[2] = {0, 0};
  AsyncBuffer<int> buffer(&own[0], &own[1], [](int* to) { ++*to; });
  EXPECT_EQ(buffer.Get(), &own[0]);
  EXPECT_EQ(buffer.Get(), &own[1]);
  EXPECT_EQ(buffer.Get(), &own[0]);
  EXPECT_EQ(own[0], 2);
}

TEST_F(AsyncBufferTest, WhatAFillThrowsIsTheCallersAndTheNextGetTriesAgain) {
  int fills = 0;
  AsyncBuffer<int> buffer([&fills](int* to) {
    if (++fills == 2) throw std::runtime_error("no rows");
    *to = fills;
  });
  EXPECT_EQ(*buffer.Get(), 1);
  try {
    buffer.Get();
    FAIL() << "did not throw";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "no rows");
  }
  EXPECT_EQ(*buffer.Get(), 3);
  EXPECT_EQ(*buffer.Get(), 4);
}

TEST_F(AsyncBufferTest, StopsWhileAFillIsUnderWayAndRefusesAfterwards) {
  std::promise<void> begun;
  std::promise<void> go_on;
  bool is_done = false;
  AsyncBuffer<int> buffer([&](int*) {
    begun.set_value();
    go_on.get_future().wait();
    is_done = true;
  });
  begun.get_future().wait();
  go_on.set_value();
  buffer.Stop();
  EXPECT_TRUE(is_done) << "Stop waits for the fill";
  buffer.Stop();
  try {
    buffer.Get();
    FAIL() << "did not throw";
  } catch (const Error& error) {
    EXPECT_EQ(error.status().code(), StatusCode::kFailedPrecondition);
  }
}

TEST_F(AsyncBufferTest, EndsWithABufferThatNobodyHasTaken) {
  for (int i = 0; i < 100; ++i) {
    const AsyncBuffer<int> buffer([i](int* to) { *to = i; });
  }
}

}  // namespace
}  // namespace ps

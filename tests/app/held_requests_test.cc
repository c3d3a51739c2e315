#include "app/held_requests.h"

#include <gtest/gtest.h>

#include <limits>

namespace ps {
namespace {

Message Request(int timestamp, bool command, int64_t bytes = 0) {
  Message message;
  message.meta.request = true;
  message.meta.timestamp = timestamp;
  message.meta.simple_app = command;
  message.meta.data_size = bytes;
  return message;
}

bool Hold(HeldRequests* held, Message message, int64_t until_ms) { return held->Hold(&message, until_ms); }

TEST(HeldRequestsTest, GivesALaneBackInOrderOnceItIsReleased) {
  HeldRequests held;
  ASSERT_TRUE(Hold(&held, Request(0, false), 100));
  ASSERT_TRUE(Hold(&held, Request(1, true), 50));
  ASSERT_TRUE(Hold(&held, Request(2, false), 110));
  EXPECT_FALSE(held.TakeReleased());
  held.Release(HeldRequests::kData);
  EXPECT_EQ(held.TakeReleased()->meta.timestamp, 0);
  EXPECT_TRUE(held.Blocks(HeldRequests::kData));
  EXPECT_EQ(held.TakeReleased()->meta.timestamp, 2);
  EXPECT_FALSE(held.TakeReleased());
  EXPECT_FALSE(held.Blocks(HeldRequests::kData));
  EXPECT_TRUE(held.Blocks(HeldRequests::kCommands));
}

TEST(HeldRequestsTest, WhatIsHeldAfterTheReleaseComesBackAtOnce) {
  HeldRequests held;
  held.Release(HeldRequests::kCommands);
  ASSERT_TRUE(Hold(&held, Request(5, true), 100));
  EXPECT_EQ(held.TakeReleased()->meta.timestamp, 5);
}

TEST(HeldRequestsTest, ExpiresByLane) {
  HeldRequests held;
  EXPECT_EQ(held.next_expiry_ms(), std::numeric_limits<int64_t>::max());
  ASSERT_TRUE(Hold(&held, Request(0, false), 100));
  ASSERT_TRUE(Hold(&held, Request(1, true), 50));
  EXPECT_EQ(held.next_expiry_ms(), 50);
  EXPECT_FALSE(held.TakeExpired(49));
  EXPECT_EQ(held.TakeExpired(50)->meta.timestamp, 1);
  EXPECT_FALSE(held.TakeExpired(99));
  EXPECT_EQ(held.TakeExpired(100)->meta.timestamp, 0);
}

TEST(HeldRequestsTest, RefusesBeyondItsBounds) {
  HeldRequests held;
  ASSERT_TRUE(Hold(&held, Request(0, false, HeldRequests::kMaxBytes - 10), 1));
  EXPECT_FALSE(Hold(&held, Request(1, false, 11), 1));
  EXPECT_TRUE(Hold(&held, Request(2, false, 10), 1));
  EXPECT_EQ(held.TakeAny()->meta.timestamp, 0);
  EXPECT_TRUE(Hold(&held, Request(3, false, 11), 1));
}

TEST(HeldRequestsTest, BoundsTheNumber) {
  HeldRequests held;
  for (std::size_t i = 0; i < HeldRequests::kMaxRequests; ++i) ASSERT_TRUE(Hold(&held, Request(0, true), 1));
  EXPECT_FALSE(Hold(&held, Request(1, false), 1));
}

}  // namespace
}  // namespace ps

#include "transport/poll_set.h"

#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <memory>
#include <thread>
#include <vector>

#include "tests/support/watchdog.h"

namespace ps {
namespace {

class PollSetTest : public testing::Test {
 protected:
  Watchdog watchdog_;
  std::shared_ptr<PollSet> set_ = PollSet::Make().value();
  PollSet::Ready ready_;
};

using Tags = std::vector<uint64_t>;

TEST_F(PollSetTest, NothingIsReadyAtFirst) {
  set_->Wait(0, &ready_);
  EXPECT_FALSE(ready_.woken);
  EXPECT_TRUE(ready_.tags.empty());
}

TEST_F(PollSetTest, WakeIsKeptAndConsumed) {
  set_->Wake();
  set_->Wake();
  set_->Wait(-1, &ready_);
  EXPECT_TRUE(ready_.woken);
  set_->Wait(0, &ready_);
  EXPECT_FALSE(ready_.woken);
}

TEST_F(PollSetTest, MarkedTagsEndTheWaitWithoutBeingAWake) {
  set_->MarkReady(7);
  set_->MarkReady(9);
  set_->Wait(-1, &ready_);
  EXPECT_FALSE(ready_.woken);
  EXPECT_EQ(ready_.tags, (Tags{7, 9}));
  set_->Wait(0, &ready_);
  EXPECT_TRUE(ready_.tags.empty());
}

TEST_F(PollSetTest, DescriptorsAreReadyUntilTheyAreReadOrRemoved) {
  const Descriptor event(eventfd(1, EFD_NONBLOCK));
  ASSERT_TRUE(set_->Add(event.fd(), 42).ok());
  for (int i = 0; i < 2; ++i) {
    set_->Wait(-1, &ready_);
    EXPECT_EQ(ready_.tags, (Tags{42}));
  }
  set_->Remove(event.fd());
  set_->Wait(0, &ready_);
  EXPECT_TRUE(ready_.tags.empty());
}

TEST_F(PollSetTest, WaitSeesADescriptorThatIsAddedMeanwhile) {
  std::thread waiter([&] { set_->Wait(-1, &ready_); });
  const Descriptor event(eventfd(1, EFD_NONBLOCK));
  ASSERT_TRUE(set_->Add(event.fd(), 5).ok());
  waiter.join();
  EXPECT_EQ(ready_.tags, (Tags{5}));
}

TEST_F(PollSetTest, ClosedSetNeverWaits) {
  set_->Close();
  for (int i = 0; i < 3; ++i) {
    set_->Wait(-1, &ready_);
    EXPECT_TRUE(ready_.woken);
  }
}

TEST_F(PollSetTest, WhatIsNoDescriptorIsRefused) { EXPECT_FALSE(set_->Add(-1, 5).ok()); }

}  // namespace
}  // namespace ps

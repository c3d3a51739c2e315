// Helpers beside the thread in Poll. Poll alone is what inproc_transport_test is about.
#include "transport/inproc/inproc_receiver.h"

#include <gtest/gtest.h>

#include <atomic>
#include <climits>
#include <functional>
#include <new>
#include <thread>

#include "base/clock.h"
#include "tests/support/counting_sink.h"
#include "tests/support/transport_endpoint.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

using Rank = ReceiveToken::Rank;

class InprocReceiverTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!Bell::CanSleep()) GTEST_SKIP() << "this kernel has no futex_waitv (it needs Linux 5.16)";
  }

  void Push() {
    Parcel parcel;
    parcel.from = "me";
    parcel.frame = NumberedFrame(++num_pushed_);
    ASSERT_TRUE(inbox_->Push(&parcel));
  }

  Watchdog watchdog_;
  const std::shared_ptr<Inbox> inbox_ = std::make_shared<Inbox>();
  InprocReceiver receiver_{inbox_};
  uint64_t num_pushed_ = 0;
  CountingSink sink_;
};

TEST_F(InprocReceiverTest, AHelperReceivesWhatItWaitsForBesideAThreadInPoll) {
  std::atomic<bool> stops{false};
  std::thread polling([&] {
    while (!stops.load()) receiver_.Poll(&sink_, CondVar::kNever);
  });
  std::thread pushing([this] {
    for (int i = 0; i < 2000; ++i) Push();
  });
  for (uint64_t count = 1; count <= 2000; ++count) {
    while (sink_.count() < count) (void)receiver_.Help(&sink_, sink_.Until(count));
  }
  pushing.join();
  stops.store(true);
  inbox_->Wake();
  polling.join();
  EXPECT_EQ(sink_.count(), 2000u);
}

TEST_F(InprocReceiverTest, WhatComesAfterAHelperEndsAPoll) {
  EXPECT_EQ(receiver_.Help(&sink_, sink_.Until(0)), HelpOutcome::kArmed);
  std::thread polling([this] { EXPECT_EQ(receiver_.Poll(&sink_, CondVar::kNever), 1); });
  Push();
  polling.join();
}

TEST_F(InprocReceiverTest, TheDeadlineEndsIt) {
  HelpWish wish = sink_.Until(1);
  wish.deadline_ms = Clock::Real().NowMs() + 20;
  EXPECT_EQ(receiver_.Help(&sink_, wish), HelpOutcome::kArmed);
  EXPECT_GE(Clock::Real().NowMs(), wish.deadline_ms);
}

TEST_F(InprocReceiverTest, TheDeadlineEndsItAlthoughFramesComeWithoutEnd) {
  sink_.on_frame = [this] { Push(); };
  Push();
  HelpWish wish = sink_.Until(INT_MAX);
  wish.deadline_ms = Clock::Real().NowMs() + 20;
  EXPECT_EQ(receiver_.Help(&sink_, wish), HelpOutcome::kArmed);
}

TEST_F(InprocReceiverTest, ACallerTakesTheRoleFromAnIdleThread) {
  std::thread idle(
      [this] { EXPECT_EQ(receiver_.Help(&sink_, sink_.Until(1000, Rank::kIdle)), HelpOutcome::kRefused); });
  while (!receiver_.token().has_helper()) std::this_thread::yield();
  Push();
  EXPECT_EQ(receiver_.Help(&sink_, sink_.Until(1)), HelpOutcome::kArmed);
  idle.join();
}

TEST_F(InprocReceiverTest, AHelperThatAlwaysHasFramesGivesWayToWhoWantsTheToken) {
  std::atomic<bool> done{false};
  sink_.on_frame = [this] { Push(); };  // there is always another one
  HelpWish wish = sink_.Until(1);
  wish.is_done = [&] { return done.load(); };
  Push();
  std::thread helper([&] { (void)receiver_.Help(&sink_, wish); });
  while (sink_.count() < 100) std::this_thread::yield();
  for (int i = 0; i < 10; ++i) {
    const ReceiveTokenLock lock(receiver_.token());
  }
  done.store(true);
  sink_.caller_bell().Ring();
  helper.join();
}

TEST_F(InprocReceiverTest, WhatASinkThrowsEndsTheHelpAndNothingElse) {
  sink_.on_frame = [] { throw std::bad_alloc(); };
  Push();
  EXPECT_THROW(receiver_.Help(&sink_, sink_.Until(1000)), std::bad_alloc);
  EXPECT_FALSE(receiver_.token().has_helper());
  sink_.on_frame = nullptr;
  Push();
  EXPECT_EQ(receiver_.Help(&sink_, sink_.Until(2)), HelpOutcome::kArmed);
}

}  // namespace
}  // namespace ps

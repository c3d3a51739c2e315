// Helpers: threads that receive beside the one in Poll. Poll alone is what shm_transport_test is about.
#include "transport/shm/shm_receiver.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <functional>
#include <memory>
#include <new>
#include <thread>

#include "base/clock.h"
#include "tests/support/counting_sink.h"
#include "tests/support/watchdog.h"
#include "tests/transport/shm/shm_fabric.h"

namespace ps {
namespace {

using Rank = ReceiveToken::Rank;

class ShmReceiverTest : public testing::TestWithParam<int64_t> {
 protected:
  static ShmOptions Options() {
    ShmOptions options;
    options.spin_us = GetParam();
    return options;
  }
  void SetUp() override {
    if (!Bell::CanSleep()) GTEST_SKIP() << "this kernel has no futex_waitv (it needs Linux 5.16)";
    link_ = sender_.ConnectTo(receiver_);
    // The ring has to be taken over before there is anything to help with.
    Send();
    while (sink_.count() < 1) transport().Poll(&sink_, 100);
  }

  Transport& transport() { return receiver_.endpoint->transport(); }
  SharedReception& shared() { return *transport().shared_reception(); }
  void Send() { ASSERT_EQ(link_->TrySend(NumberedFrame(++num_sent_)), SendResult::kSent); }
  // `ps-rx`, until it is told to stop.
  std::thread Polling() {
    return std::thread([this] {
      while (!stops_.load()) transport().Poll(&sink_, -1);
    });
  }
  void Stop(std::thread* polling) {
    stops_.store(true);
    transport().Wake();
    polling->join();
  }

  Watchdog watchdog_{std::chrono::seconds(60)};
  ShmNode sender_, receiver_{Options()};
  std::unique_ptr<Link> link_;
  uint64_t num_sent_ = 0;
  CountingSink sink_;
  std::atomic<bool> stops_{false};
};

INSTANTIATE_TEST_SUITE_P(Spinning, ShmReceiverTest, testing::Values(50));
INSTANTIATE_TEST_SUITE_P(Asleep, ShmReceiverTest, testing::Values(0));

TEST_P(ShmReceiverTest, AHelperReceivesWhatItWaitsFor) {
  std::thread polling = Polling();
  std::thread sending([this] {
    for (int i = 0; i < 1000; ++i) Send();
  });
  for (uint64_t count = 2; count <= 1001; ++count) {
    while (sink_.count() < count) {
      if (shared().Help(&sink_, sink_.Until(count)) == HelpOutcome::kRefused) std::this_thread::yield();
    }
  }
  sending.join();
  Stop(&polling);
  EXPECT_EQ(sink_.count(), 1001u);
}

TEST_P(ShmReceiverTest, WhatIsDoneAlreadyIsNotWaitedFor) {
  EXPECT_EQ(shared().Help(&sink_, sink_.Until(1)), HelpOutcome::kUnarmed);
  EXPECT_FALSE(shared().token().has_helper());
}

TEST_P(ShmReceiverTest, TheDeadlineEndsIt) {
  HelpWish wish = sink_.Until(2);
  wish.deadline_ms = Clock::Real().NowMs() + 20;
  EXPECT_NE(shared().Help(&sink_, wish), HelpOutcome::kRefused);
  EXPECT_GE(Clock::Real().NowMs(), wish.deadline_ms);
  EXPECT_EQ(sink_.count(), 1u);
}

TEST_P(ShmReceiverTest, TheDeadlineEndsItAlthoughFramesComeWithoutEnd) {
  sink_.on_frame = [this] { Send(); };  // so that the ring is never found empty
  Send();
  HelpWish wish = sink_.Until(UINT64_MAX);
  wish.deadline_ms = Clock::Real().NowMs() + 20;
  EXPECT_NE(shared().Help(&sink_, wish), HelpOutcome::kRefused);
}

TEST_P(ShmReceiverTest, ItsBellMakesItLookAgain) {
  std::atomic<bool> done{false};
  std::atomic<int> looks{0};
  HelpWish wish = sink_.Until(2);
  wish.is_done = [&] {
    ++looks;
    return done.load();
  };
  std::thread helper([&] { EXPECT_NE(shared().Help(&sink_, wish), HelpOutcome::kRefused); });
  while (looks.load() == 0) std::this_thread::yield();
  done.store(true);
  sink_.caller_bell().Ring();
  helper.join();
}

TEST_P(ShmReceiverTest, ACallerTakesTheRoleFromAnIdleThread) {
  std::thread idle([this] {
    EXPECT_EQ(shared().Help(&sink_, sink_.Until(UINT64_MAX, Rank::kIdle)), HelpOutcome::kRefused);
  });
  while (!shared().token().has_helper()) std::this_thread::yield();
  std::thread sending([this] { Send(); });
  EXPECT_NE(shared().Help(&sink_, sink_.Until(2)), HelpOutcome::kRefused);
  sending.join();
  idle.join();
  EXPECT_EQ(sink_.count(), 2u);
}

TEST_P(ShmReceiverTest, ASecondCallerIsRefused) {
  std::atomic<bool> done{false};
  HelpWish wish = sink_.Until(2);
  wish.is_done = [&] { return done.load(); };
  std::thread first([&] { EXPECT_NE(shared().Help(&sink_, wish), HelpOutcome::kRefused); });
  while (!shared().token().has_helper()) std::this_thread::yield();
  EXPECT_EQ(shared().Help(&sink_, sink_.Until(2)), HelpOutcome::kRefused);
  done.store(true);
  sink_.caller_bell().Ring();
  first.join();
}

TEST_P(ShmReceiverTest, AfterAHelperThatSomebodyDependsOnFramesWakePoll) {
  const DependsOnFrames somebody(shared().token().dependents());
  std::thread polling = Polling();
  EXPECT_EQ(shared().Help(&sink_, sink_.Until(1)), HelpOutcome::kArmed);
  Send();
  while (sink_.count() < 2) std::this_thread::yield();
  EXPECT_EQ(sink_.last_thread(), polling.get_id());
  Stop(&polling);
}

TEST_P(ShmReceiverTest, AfterAHelperThatComesBackWakeArmsPoll) {
  std::thread polling = Polling();
  EXPECT_EQ(shared().Help(&sink_, sink_.Until(1)), HelpOutcome::kUnarmed);
  Send();
  transport().Wake();
  while (sink_.count() < 2) std::this_thread::yield();
  Send();  // and now by itself
  while (sink_.count() < 3) std::this_thread::yield();
  Stop(&polling);
}

TEST_P(ShmReceiverTest, TheEndOfAPeerReachesPollBesideASleepingHelper) {
  std::thread polling = Polling();
  std::thread helper([this] {
    HelpWish wish = sink_.Until(2);
    wish.is_done = [this] { return sink_.closed(); };
    // Refused when nothing is left to help with.
    while (!sink_.closed()) shared().Help(&sink_, wish);
  });
  while (!shared().token().has_helper()) std::this_thread::yield();
  link_ = nullptr;
  helper.join();
  Stop(&polling);
}

TEST_P(ShmReceiverTest, ARingHandedOverBesideAHelperIsReadAtOnce) {
  std::thread polling = Polling();
  std::atomic<bool> done{false};
  HelpWish wish = sink_.Until(2);
  wish.is_done = [&] { return done.load(); };
  std::thread helper([&] { EXPECT_NE(shared().Help(&sink_, wish), HelpOutcome::kRefused); });
  while (!shared().token().has_helper()) std::this_thread::yield();
  ShmNode another;
  const auto link = another.ConnectTo(receiver_);
  for (uint64_t i = 0; i < 100; ++i) {
    ASSERT_EQ(link->TrySend(NumberedFrame(2 + i)), SendResult::kSent);
    while (sink_.count() < 2 + i) std::this_thread::yield();
  }
  done.store(true);
  sink_.caller_bell().Ring();
  helper.join();
  Stop(&polling);
}

TEST_P(ShmReceiverTest, AHelperThatAlwaysHasFramesGivesWayToWhoWantsTheToken) {
  std::atomic<bool> done{false};
  sink_.on_frame = [this] { Send(); };  // there is always another one
  HelpWish wish = sink_.Until(2);
  wish.is_done = [&] { return done.load(); };
  Send();
  std::thread helper([&] { EXPECT_NE(shared().Help(&sink_, wish), HelpOutcome::kRefused); });
  while (sink_.count() < 100) std::this_thread::yield();
  for (int i = 0; i < 10; ++i) {
    const ReceiveTokenLock lock(shared().token());
  }
  done.store(true);
  sink_.caller_bell().Ring();
  helper.join();
}

TEST_P(ShmReceiverTest, WhatASinkThrowsEndsTheHelpAndNothingElse) {
  sink_.on_frame = [] { throw std::bad_alloc(); };
  Send();
  EXPECT_THROW(shared().Help(&sink_, sink_.Until(UINT64_MAX)), std::bad_alloc);
  EXPECT_FALSE(shared().token().has_helper());
  sink_.on_frame = nullptr;
  Send();
  EXPECT_NE(shared().Help(&sink_, sink_.Until(3)), HelpOutcome::kRefused);
}

TEST_P(ShmReceiverTest, NobodyHelpsBeforeThereIsARingNorAfterClose) {
  ShmNode lonely(Options());
  EXPECT_EQ(lonely.endpoint->transport().shared_reception()->Help(&sink_, sink_.Until(UINT64_MAX)),
            HelpOutcome::kRefused);
  transport().Close(0);
  EXPECT_EQ(shared().Help(&sink_, sink_.Until(UINT64_MAX)), HelpOutcome::kRefused);
}

}  // namespace
}  // namespace ps

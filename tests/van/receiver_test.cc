#include "van/receiver.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/queue.h"
#include "tests/support/fake_link.h"
#include "tests/support/transport_endpoint.h"
#include "tests/support/watchdog.h"
#include "transport/inproc/inproc_transport.h"

namespace ps {
namespace {

class QueueSink : public FrameSink {
 public:
  void OnFrame(Frame&& frame, const ReturnPath&) override { frames.Push(frame.DeepCopy()); }
  BlockingQueue<Frame> frames;
};

TEST(ReceiverTest, HandsFramesToTheSink) {
  Watchdog watchdog;
  const auto hub = std::make_shared<Hub>();
  const std::unique_ptr<Transport> listening = MakeInprocTransport(hub);
  const std::unique_ptr<Transport> sending = MakeInprocTransport(hub);
  const Address address = listening->Bind(Address{"here", 0}).value();
  QueueSink sink;
  Receiver receiver(listening.get(), &sink, [](int64_t) {});
  receiver.Start();
  const std::unique_ptr<Link> link = sending->Connect(address).value();
  EXPECT_EQ(link->TrySend(NumberedFrame(7, Pattern(10))), SendResult::kSent);
  const std::optional<Frame> frame = sink.frames.Pop();
  EXPECT_EQ(Text(frame->parts[1]), Text(Pattern(10)));
}

TEST(ReceiverTest, RunsTasksInOrderOnItsThread) {
  Watchdog watchdog;
  FakeTransport transport;
  QueueSink sink;
  Receiver receiver(&transport, &sink, [](int64_t) {});
  receiver.Start();
  BlockingQueue<int> done;
  for (int i = 0; i < 100; ++i) receiver.Post([&done, i] { done.Push(i); });
  for (int i = 0; i < 100; ++i) EXPECT_EQ(done.Pop(), i);
  std::thread::id thread;
  receiver.Post([&] {
    thread = std::this_thread::get_id();
    receiver.Post([&] { done.Push(-1); });
  });
  EXPECT_EQ(done.Pop(), -1) << "a task may post another";
  EXPECT_NE(thread, std::this_thread::get_id());
}

TEST(ReceiverTest, NobodyHelpsBeforeStartNorAfterStop) {
  Watchdog watchdog;
  const std::unique_ptr<Transport> transport = MakeInprocTransport(std::make_shared<Hub>());
  QueueSink sink;
  Bell bell;
  int looks = 0;
  HelpWish wish;
  wish.bell = &bell;
  wish.is_done = [&looks] { return ++looks > 0; };
  Receiver receiver(transport.get(), &sink, [](int64_t) {});
  EXPECT_FALSE(receiver.Help(wish)) << "what frames are handed to may not be complete";
  EXPECT_EQ(looks, 0);
  receiver.Start();
  EXPECT_EQ(receiver.Help(wish), Bell::CanSleep());
  receiver.Stop();
  looks = 0;
  EXPECT_FALSE(receiver.Help(wish));
  EXPECT_EQ(looks, 0);
}

// Helpers leave it at once, and frames wake nobody then.
class LeftTransport : public FakeTransport, private SharedReception {
 public:
  SharedReception* shared_reception() override { return this; }
  ReceiveToken& token() override { return token_; }
  HelpOutcome Help(FrameSink*, const HelpWish&) override {
    return token_.dependents()->MayLeave() ? HelpOutcome::kUnarmed : HelpOutcome::kArmed;
  }
  void Wake() override {
    ++num_woken;
    FakeTransport::Wake();
  }
  void SetHelper(bool is_there) {
    const ReceiveTokenLock lock(token_);
    token_.EndHelp();
    if (is_there) EXPECT_NE(token_.BeginHelp(wish_), 0u);
  }

  std::atomic<int> num_woken{0};

 private:
  ReceiveToken token_;
  Bell bell_;
  const HelpWish wish_{[] { return false; }, &bell_};
};

class ReceiverTimerTest : public testing::Test {
 protected:
  ReceiverTimerTest() { receiver_.Start(); }
  ~ReceiverTimerTest() override { transport_.SetHelper(false); }

  void ComeAndGo() { EXPECT_TRUE(receiver_.Help(HelpWish())); }
  bool HasAsked() { return std::exchange(wait_ms_, -1) >= 0; }

  Watchdog watchdog_;
  LeftTransport transport_;
  QueueSink sink_;
  int64_t wait_ms_ = -1;  // for which a look was asked for last
  Receiver receiver_{&transport_, &sink_,
                     [this](int64_t at_ms) { wait_ms_ = at_ms - Clock::Real().NowMs(); }};
};

TEST_F(ReceiverTimerTest, AHelperThatHasNotComeBackIsReplaced) {
  ComeAndGo();
  EXPECT_TRUE(HasAsked());
  receiver_.OnTimer();
  EXPECT_EQ(transport_.num_woken.load(), 1);
  EXPECT_FALSE(HasAsked());
  receiver_.OnTimer();
  EXPECT_EQ(transport_.num_woken.load(), 1);
  ComeAndGo();
  EXPECT_TRUE(HasAsked());
}

TEST_F(ReceiverTimerTest, OneThatStaysIsLookedAfterOnceMoreAtMost) {
  ComeAndGo();
  transport_.SetHelper(true);
  receiver_.OnTimer();
  receiver_.OnTimer();
  wait_ms_ = -1;
  receiver_.OnTimer();
  EXPECT_FALSE(HasAsked());
  EXPECT_EQ(transport_.num_woken.load(), 0);
}

TEST_F(ReceiverTimerTest, OneThatComesAndGoesIsLookedAfterMoreAndMoreRarely) {
  ComeAndGo();
  for (int64_t longest_ms = 2; longest_ms <= 64; longest_ms *= 2) {
    transport_.SetHelper(true);
    receiver_.OnTimer();
    EXPECT_LE(wait_ms_, std::min<int64_t>(longest_ms, 4));
    EXPECT_TRUE(HasAsked());
    for (int times = 0; times < 100; ++times) ComeAndGo();
    EXPECT_FALSE(HasAsked()) << "the timer is set already";
  }
  // Then it stays away.
  transport_.SetHelper(false);
  receiver_.OnTimer();
  EXPECT_LE(wait_ms_, 1);
  EXPECT_TRUE(HasAsked()) << "it may have left just now";
  EXPECT_EQ(transport_.num_woken.load(), 0);
  receiver_.OnTimer();
  EXPECT_EQ(transport_.num_woken.load(), 1);
}

TEST_F(ReceiverTimerTest, AThreadThatGoesToSleepWaitsForNoTimer) {
  const std::shared_ptr<Dependents> dependents = receiver_.dependents();
  { const DependsOnFrames sleeps(dependents); }
  EXPECT_EQ(transport_.num_woken.load(), 0) << "frames wake `ps-rx`";
  ComeAndGo();
  {
    const DependsOnFrames callback(dependents, DependsOnFrames::kCallback);
    EXPECT_EQ(transport_.num_woken.load(), 0);
    const DependsOnFrames sleeps(dependents);
    EXPECT_EQ(transport_.num_woken.load(), 1);
    const DependsOnFrames too(dependents);
    ComeAndGo();
    const DependsOnFrames after_it(dependents);
    EXPECT_EQ(transport_.num_woken.load(), 1) << "who left has seen that somebody sleeps";
  }
  ComeAndGo();
  receiver_.Stop();
  const int num_woken = transport_.num_woken.load();
  const DependsOnFrames late(dependents);
  EXPECT_EQ(transport_.num_woken.load(), num_woken);
}

TEST(ReceiverTest, StopSendsHelpersAway) {
  if (!Bell::CanSleep()) GTEST_SKIP() << "this kernel has no futex_waitv (it needs Linux 5.16)";
  Watchdog watchdog;
  for (int round = 0; round < 50; ++round) {
    const std::unique_ptr<Transport> transport = MakeInprocTransport(std::make_shared<Hub>());
    QueueSink sink;
    Receiver receiver(transport.get(), &sink, [](int64_t) {});
    receiver.Start();
    Bell bell;
    std::atomic<int> looks{0};
    HelpWish wish;
    wish.bell = &bell;
    wish.is_done = [&looks] {
      ++looks;
      return false;
    };
    std::thread helper([&] { EXPECT_FALSE(receiver.Help(wish)); });
    while (looks.load() == 0) std::this_thread::yield();
    receiver.Stop();
    helper.join();
  }
}

TEST(ReceiverTest, StopRunsWhatWasPostedAndDropsWhatComesLater) {
  Watchdog watchdog;
  for (int round = 0; round < 50; ++round) {
    FakeTransport transport;
    QueueSink sink;
    std::atomic<int> ran{0};
    Receiver receiver(&transport, &sink, [](int64_t) {});
    receiver.Start();
    for (int i = 0; i < 5; ++i) receiver.Post([&] { ++ran; });
    receiver.Stop();
    EXPECT_EQ(ran.load(), 5);
    receiver.Post([&] { ++ran; });
    receiver.Stop();
    EXPECT_EQ(ran.load(), 5);
  }
}

}  // namespace
}  // namespace ps

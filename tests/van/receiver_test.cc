#include "van/receiver.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

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

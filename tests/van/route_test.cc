#include "van/route.h"

#include <gtest/gtest.h>

#include <atomic>
#include <vector>

#include "base/thread.h"
#include "tests/support/route_pair.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

constexpr int64_t kLate = 100000;  // past every deadline of these tests

int64_t Now() { return Clock::Real().NowMs(); }

Status SendNow(RouteEnd* end, Outgoing message) {
  SendOptions options;
  options.room_timeout_ms = 1;
  return end->route->Send(std::move(message), options);
}

RouteSettings OneAtATime() {
  RouteSettings settings;
  settings.water_mark = 1;
  return settings;
}

TEST(RouteTest, DeliversInOrderOfSending) {
  RoutePair pair{RouteSettings()};
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(SendNow(&pair.a, RequestOf(i, "v" + std::to_string(i))).ok());
  pair.Exchange();
  EXPECT_EQ(pair.b.Timestamps(), (std::vector<int>{0, 1, 2, 3, 4}));
  EXPECT_EQ(std::string(pair.b.ready[3].blocks[kBlockVals].data(), 2), "v3");
  EXPECT_EQ(pair.b.ready[3].header.sender, 9u);
}

TEST(RouteTest, PutsALargeMessageTogetherFromChunks) {
  RouteSettings settings;
  settings.chunk_bytes = 100;
  RoutePair pair{settings};
  ASSERT_TRUE(SendNow(&pair.a, RequestOf(1, std::string(950, 'x'))).ok());
  EXPECT_EQ(pair.a.wire->size(), 10u);
  pair.Exchange();
  ASSERT_EQ(pair.b.ready.size(), 1u);
  EXPECT_EQ(pair.b.ready[0].blocks[kBlockVals].size(), 950u);
}

TEST(RouteTest, WhatIsUrgentOvertakesBetweenChunks) {
  RouteSettings settings;
  settings.chunk_bytes = 100;
  RoutePair pair{settings};
  pair.a.wire->SetRoom(3);
  ASSERT_TRUE(SendNow(&pair.a, RequestOf(1, std::string(1000, 'x'), 0)).ok());
  ASSERT_TRUE(SendNow(&pair.a, RequestOf(2, "urgent", 5)).ok());
  pair.a.wire->SetRoom(1000);
  pair.a.route->Pump();
  pair.Exchange();
  EXPECT_EQ(pair.b.Timestamps(), (std::vector<int>{2, 1}));
}

TEST(RouteTest, AFullLinkKeepsMessagesUntilThePump) {
  RoutePair pair{RouteSettings()};
  pair.a.wire->SetRoom(0);
  ASSERT_TRUE(SendNow(&pair.a, RequestOf(1)).ok());
  pair.Exchange();
  EXPECT_TRUE(pair.b.ready.empty());
  EXPECT_TRUE(pair.a.AskedToWake()) << "what only waits has a deadline too";
  pair.a.wire->SetRoom(1000);
  pair.a.route->Pump();
  pair.Exchange();
  EXPECT_EQ(pair.b.Timestamps(), (std::vector<int>{1}));
}

// Sends a request on a thread of its own; it waits for room first.
class WaitingSender {
 public:
  WaitingSender(RouteEnd* end, Outgoing message, SendOptions options = SendOptions())
      : thread_("sender", [this, end, message, options] {
          status = end->route->Send(message, options);
          done = true;
        }) {}

  std::atomic<bool> done{false};
  Status status;

  void Join() { thread_.Join(); }

 private:
  Thread thread_;
};

TEST(RouteTest, ARequestWaitsUntilAHandlerTookTheOneBefore) {
  Watchdog watchdog;
  RoutePair pair{OneAtATime()};
  ASSERT_TRUE(SendNow(&pair.a, RequestOf(1)).ok());
  pair.Exchange();
  WaitingSender sender(&pair.a, RequestOf(2));
  ASSERT_TRUE(pair.a.wire->WaitForFrames(1)) << "who waits says so";
  pair.Exchange();
  EXPECT_FALSE(sender.done) << "it arrived, but no handler has taken it";
  pair.b.route->ReturnCredit(pair.b.ready[0].header.total_bytes());
  ASSERT_GE(pair.b.wire->size(), 1u) << "half a window is free: told at once";
  pair.Exchange();
  sender.Join();
  EXPECT_TRUE(sender.status.ok()) << sender.status;
  pair.Exchange();
  EXPECT_EQ(pair.b.Timestamps(), (std::vector<int>{1, 2}));
  EXPECT_EQ(pair.a.counters.Get(Counter::kCreditWaits), 1u);
}

TEST(RouteTest, LessThanHalfAWindowIsToldToWhoWaitsForIt) {
  Watchdog watchdog;
  RouteSettings settings;
  settings.send_buffer_bytes = 1000;
  RoutePair pair{settings};
  ASSERT_TRUE(SendNow(&pair.a, RequestOf(1, std::string(400, 'x'))).ok());
  pair.Exchange();
  WaitingSender sender(&pair.a, RequestOf(2, std::string(700, 'x')));
  ASSERT_TRUE(pair.a.wire->WaitForFrames(1));
  pair.Exchange();
  pair.b.route->ReturnCredit(400);
  EXPECT_EQ(pair.b.wire->size(), 0u);
  ASSERT_TRUE(pair.b.AskedToWake());
  std::vector<Undelivered> expired;
  pair.b.route->OnTimer(Now(), &expired);
  pair.Exchange();
  sender.Join();
  EXPECT_TRUE(sender.status.ok()) << sender.status;
}

TEST(RouteTest, AsksAgainWhenTheCreditsWereLost) {
  Watchdog watchdog;
  RouteSettings settings = OneAtATime();
  settings.ask_after_ms = 10;
  RoutePair pair{settings};
  ASSERT_TRUE(SendNow(&pair.a, RequestOf(1)).ok());
  pair.Exchange();
  WaitingSender sender(&pair.a, RequestOf(2));
  ASSERT_TRUE(pair.a.wire->WaitForFrames(1));
  pair.Exchange();
  pair.b.route->ReturnCredit(1);
  pair.b.wire->Drop();
  ASSERT_TRUE(pair.a.wire->WaitForFrames(1)) << "the second time it asks";
  pair.Exchange();
  sender.Join();
  EXPECT_TRUE(sender.status.ok()) << sender.status;
}

TEST(RouteTest, OneLargerRequestGoesAlone) {
  RouteSettings settings;
  settings.send_buffer_bytes = 100;
  RoutePair pair{settings};
  ASSERT_TRUE(SendNow(&pair.a, RequestOf(1, std::string(5000, 'x'))).ok());
  EXPECT_EQ(SendNow(&pair.a, RequestOf(2)).code(), StatusCode::kDeadlineExceeded);
  pair.Exchange();
  pair.b.route->ReturnCredit(5000);
  pair.Exchange();
  EXPECT_TRUE(SendNow(&pair.a, RequestOf(3)).ok());
}

TEST(RouteTest, ResponsesNeverWait) {
  RoutePair pair{OneAtATime()};
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(SendNow(&pair.a, ResponseOf(i)).ok());
  pair.Exchange();
  EXPECT_EQ(pair.b.ready.size(), 100u);
}

TEST(RouteTest, NoRoomInTimeNamesThePeerAndTheVariables) {
  RoutePair pair{OneAtATime()};
  ASSERT_TRUE(SendNow(&pair.a, RequestOf(1)).ok());
  const Status status = SendNow(&pair.a, RequestOf(2));
  EXPECT_EQ(status.code(), StatusCode::kDeadlineExceeded);
  for (const char* text :
       {"server 0 (id 8, 10.0.0.5:4708)", "DMLC_PS_WATER_MARK=1", "PS_SEND_BUFFER_BYTES=67108864"}) {
    EXPECT_NE(status.message().find(text), std::string::npos) << status;
  }
}

TEST(RouteTest, AHandlersRequestIsQueuedAllTheSame) {
  RoutePair pair{OneAtATime()};
  ASSERT_TRUE(SendNow(&pair.a, RequestOf(1)).ok());
  SendOptions options;
  options.room_timeout_ms = 1;
  options.queue_when_full = true;
  EXPECT_TRUE(pair.a.route->Send(RequestOf(2), options).ok());
  pair.Exchange();
  EXPECT_EQ(pair.b.ready.size(), 2u);
}

TEST(RouteTest, UnsentAnswersKeepCreditsBackUntilTheyLeave) {
  RouteSettings settings = OneAtATime();
  settings.send_buffer_bytes = 100;
  RoutePair pair{settings};
  ASSERT_TRUE(SendNow(&pair.a, RequestOf(1)).ok());
  pair.Exchange();
  pair.b.wire->SetRoom(0);
  ASSERT_TRUE(SendNow(&pair.b, ResponseOf(7, std::string(500, 'r'))).ok());
  pair.b.route->ReturnCredit(1);
  pair.b.wire->SetRoom(1000);
  pair.b.route->SendBare(FrameKind::kHeartbeat);
  pair.Exchange();
  EXPECT_EQ(SendNow(&pair.a, RequestOf(2)).code(), StatusCode::kDeadlineExceeded);
  pair.b.route->Pump();
  pair.Exchange();
  EXPECT_TRUE(SendNow(&pair.a, RequestOf(3)).ok());
}

TEST(RouteTest, AsksForWhatWasLostAndSendsOnlyThatAgain) {
  RouteSettings settings;
  settings.ask_after_ms = 1000;
  RoutePair pair{settings};
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(SendNow(&pair.a, RequestOf(i)).ok());
  Frame lost;
  ASSERT_TRUE(pair.a.wire->Take(&lost));
  pair.Exchange();
  EXPECT_TRUE(pair.b.ready.empty()) << "delivery is in order";
  std::vector<Undelivered> expired;
  pair.a.route->OnTimer(Now() + 2000, &expired);
  pair.Exchange();
  EXPECT_EQ(pair.b.Timestamps(), (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(pair.a.counters.Get(Counter::kResendsAsked), 1u);
  EXPECT_EQ(pair.a.counters.Get(Counter::kResendsSent), 1u);
  EXPECT_EQ(pair.b.counters.Get(Counter::kOutOfOrder), 2u);
  EXPECT_TRUE(expired.empty());
}

TEST(RouteTest, AnAnswerDoubledOnItsWayCostsNothing) {
  RoutePair pair{RouteSettings()};
  ASSERT_TRUE(SendNow(&pair.a, RequestOf(1)).ok());
  pair.a.wire->Drop();
  std::vector<Undelivered> expired;
  pair.a.route->OnTimer(Now() + 2000, &expired);
  ASSERT_TRUE(pair.b.TakeFrom(&pair.a));
  Frame answer;
  ASSERT_TRUE(pair.b.wire->Take(&answer));
  const Header header = DecodeHeader(answer.head.data(), answer.head.size()).value();
  EXPECT_EQ(header.kind, FrameKind::kHave);
  for (int i = 0; i < 3; ++i) pair.a.route->OnFrame(header, answer, &pair.a.ready);
  EXPECT_EQ(pair.a.counters.Get(Counter::kResendsSent), 1u);
}

TEST(RouteTest, DoubledFramesAreDeliveredOnce) {
  RoutePair pair{RouteSettings()};
  ASSERT_TRUE(SendNow(&pair.a, RequestOf(1)).ok());
  Frame frame;
  ASSERT_TRUE(pair.a.wire->Take(&frame));
  const Header header = DecodeHeader(frame.head.data(), frame.head.size()).value();
  for (int i = 0; i < 3; ++i) pair.b.route->OnFrame(header, frame, &pair.b.ready);
  EXPECT_EQ(pair.b.ready.size(), 1u);
  EXPECT_EQ(pair.b.counters.Get(Counter::kDuplicatesDropped), 2u);
}

TEST(RouteTest, WhatIsKeptForLaterIsACopy) {
  RoutePair pair{RouteSettings()};
  ASSERT_TRUE(SendNow(&pair.a, RequestOf(1)).ok());
  LentMemory lent(10);
  ASSERT_TRUE(SendNow(&pair.a, DataOf(true, 2, lent.bytes)).ok());
  Frame first;
  ASSERT_TRUE(pair.a.wire->Take(&first));
  ASSERT_TRUE(pair.b.TakeFrom(&pair.a));
  lent.bytes = SArray<char>();
  (void)pair.a.route->Close(Status::Unavailable("gone"));
  EXPECT_FALSE(*lent.alive) << "the receiver keeps the sender's memory";
}

TEST(RouteTest, ExpiryReportsALargeMessageOnceAndGivesItsMemoryBack) {
  RouteSettings settings;
  settings.chunk_bytes = 100;
  settings.request_timeout_ms = 1000;
  RoutePair pair{settings};
  pair.a.wire->SetRoom(4);
  LentMemory lent(1000);
  ASSERT_TRUE(SendNow(&pair.a, DataOf(true, 7, lent.bytes)).ok());
  lent.bytes = SArray<char>();
  std::vector<Undelivered> expired;
  pair.a.route->OnTimer(Now() + kLate, &expired);
  ASSERT_EQ(expired.size(), 1u);
  EXPECT_EQ(expired[0].meta.timestamp, 7);
  EXPECT_EQ(expired[0].meta.recver, 8);
  EXPECT_TRUE(expired[0].meta.request);
  EXPECT_EQ(expired[0].why.code(), StatusCode::kDeadlineExceeded);
  EXPECT_EQ(expired[0].why.message(),
            "server 0 (id 8, 10.0.0.5:4708) has not acknowledged it for 1 s (PS_REQUEST_TIMEOUT)");
  EXPECT_FALSE(*lent.alive);
  EXPECT_EQ(pair.a.num_connects, 2) << "the link that referred to it was closed";
  pair.a.route->OnTimer(Now() + 2 * kLate, &expired);
  EXPECT_EQ(expired.size(), 1u);
}

TEST(RouteTest, TheSequenceGoesOnAfterExpiry) {
  RouteSettings settings;
  settings.request_timeout_ms = 1000;
  RoutePair pair{settings};
  ASSERT_TRUE(SendNow(&pair.a, RequestOf(1)).ok());
  std::vector<Undelivered> expired;
  pair.a.route->OnTimer(Now() + kLate, &expired);
  ASSERT_EQ(expired.size(), 1u);
  ASSERT_TRUE(SendNow(&pair.a, RequestOf(2)).ok());
  pair.a.wire->Drop();
  pair.a.route->OnTimer(Now() + 2 * kLate, &expired);
  pair.Exchange();
  EXPECT_EQ(pair.b.Timestamps(), (std::vector<int>{1, 2}));
}

TEST(RouteTest, ExpiryOfWhatWasNeverSentWakesWhoWaitsForItsRoom) {
  Watchdog watchdog;
  RouteSettings settings = OneAtATime();
  settings.request_timeout_ms = 1000;
  RoutePair pair{settings};
  pair.a.wire->SetRoom(0);
  ASSERT_TRUE(SendNow(&pair.a, RequestOf(1)).ok());
  WaitingSender sender(&pair.a, RequestOf(2));
  while (pair.a.counters.Get(Counter::kCreditWaits) == 0) std::this_thread::yield();
  std::vector<Undelivered> expired;
  pair.a.route->OnTimer(Now() + kLate, &expired);
  sender.Join();
  EXPECT_TRUE(sender.status.ok()) << sender.status;
  ASSERT_EQ(expired.size(), 1u);
  EXPECT_EQ(expired[0].meta.timestamp, 1);
}

TEST(RouteTest, ReleaseLentLeavesNothingThatRefersToTheMemory) {
  RouteSettings settings;
  settings.chunk_bytes = 100;
  RoutePair pair{settings};
  pair.a.wire->SetRoom(2);
  LentMemory sent(500);
  LentMemory waiting(50);
  LentMemory of_another(50);
  ASSERT_TRUE(SendNow(&pair.a, DataOf(true, 1, sent.bytes)).ok());
  ASSERT_TRUE(SendNow(&pair.a, DataOf(true, 2, waiting.bytes)).ok());
  Outgoing other = DataOf(true, 3, of_another.bytes);
  other.header.customer_id = 99;
  ASSERT_TRUE(SendNow(&pair.a, std::move(other)).ok());
  sent.bytes = waiting.bytes = of_another.bytes = SArray<char>();
  other = Outgoing();
  pair.a.route->ReleaseLent(3, 4);
  EXPECT_FALSE(*sent.alive);
  EXPECT_FALSE(*waiting.alive);
  EXPECT_TRUE(*of_another.alive);
}

TEST(RouteTest, CloseGivesBackEachUndeliveredMessageOnce) {
  RouteSettings settings;
  settings.chunk_bytes = 100;
  RoutePair pair{settings};
  pair.a.wire->SetRoom(4);
  ASSERT_TRUE(SendNow(&pair.a, RequestOf(1)).ok());
  ASSERT_TRUE(SendNow(&pair.a, RequestOf(2, std::string(300, 'x'))).ok());
  ASSERT_TRUE(SendNow(&pair.a, RequestOf(3)).ok());
  ASSERT_TRUE(SendNow(&pair.a, ResponseOf(3)).ok());
  const std::vector<Undelivered> undelivered = pair.a.route->Close(Status::Unavailable("it left"));
  std::vector<int> timestamps;
  for (const Undelivered& message : undelivered) timestamps.push_back(message.meta.timestamp);
  EXPECT_EQ(timestamps, (std::vector<int>{1, 2, 3, 3}));
  EXPECT_EQ(undelivered[0].why, Status::Unavailable("it left"));
  EXPECT_EQ(SendNow(&pair.a, RequestOf(4)), Status::Unavailable("it left"));
  EXPECT_TRUE(pair.a.route->Close(Status::Unavailable("again")).empty());
}

TEST(RouteTest, CloseWakesWhoWaits) {
  Watchdog watchdog;
  RoutePair pair{OneAtATime()};
  ASSERT_TRUE(SendNow(&pair.a, RequestOf(1)).ok());
  WaitingSender sender(&pair.a, RequestOf(2));
  ASSERT_TRUE(pair.a.wire->WaitForFrames(2));
  (void)pair.a.route->Close(Status::Unavailable("it left"));
  sender.Join();
  EXPECT_EQ(sender.status, Status::Unavailable("it left"));
}

TEST(RouteTest, StillAnswersQuestionsWhenClosedButNotAfterShutdown) {
  RoutePair pair{RouteSettings()};
  ASSERT_TRUE(SendNow(&pair.a, RequestOf(1)).ok());
  ASSERT_TRUE(pair.b.TakeFrom(&pair.a));
  (void)pair.b.route->Close(Status::Unavailable("it left"));
  EXPECT_FALSE(pair.a.route->WaitDrained(Deadline::After(1)));
  pair.a.route->BeginDrain();
  pair.Exchange();
  EXPECT_TRUE(pair.a.route->WaitDrained(Deadline::After(1)));
  pair.b.route->Shutdown();
  pair.b.route->SendBare(FrameKind::kAck);
  EXPECT_EQ(pair.b.wire->size(), 0u);
}

}  // namespace
}  // namespace ps

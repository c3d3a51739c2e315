#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/thread.h"
#include "tests/support/route_steps.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

TEST(RouteEndTest, ExpiryReportsALargeMessageOnceAndGivesItsMemoryBack) {
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

TEST(RouteEndTest, TheSequenceGoesOnAfterExpiry) {
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

TEST(RouteEndTest, ExpiryOfWhatWasNeverSentWakesWhoWaitsForItsRoom) {
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

TEST(RouteEndTest, ReleaseLentLeavesNothingThatRefersToTheMemory) {
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
  pair.a.route->ReleaseLent({3, 4});
  EXPECT_FALSE(*sent.alive);
  EXPECT_FALSE(*waiting.alive);
  EXPECT_TRUE(*of_another.alive);
}

TEST(RouteEndTest, CloseGivesBackEachUndeliveredMessageOnce) {
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

TEST(RouteEndTest, CloseWakesWhoWaits) {
  Watchdog watchdog;
  RoutePair pair{OneAtATime()};
  ASSERT_TRUE(SendNow(&pair.a, RequestOf(1)).ok());
  WaitingSender sender(&pair.a, RequestOf(2));
  ASSERT_TRUE(pair.a.wire->WaitForFrames(2));
  (void)pair.a.route->Close(Status::Unavailable("it left"));
  sender.Join();
  EXPECT_EQ(sender.status, Status::Unavailable("it left"));
}

TEST(RouteEndTest, StillAnswersQuestionsWhenClosedButNotAfterShutdown) {
  RoutePair pair{RouteSettings()};
  ASSERT_TRUE(SendNow(&pair.a, RequestOf(1)).ok());
  ASSERT_TRUE(pair.b.TakeFrom(&pair.a));
  (void)pair.b.route->Close(Status::Unavailable("it left"));
  EXPECT_FALSE(pair.a.route->WaitDrained(Deadline::After(1)));
  pair.a.route->SendBare(FrameKind::kAsk);
  pair.Exchange();
  EXPECT_TRUE(pair.a.route->WaitDrained(Deadline::After(1)));
  pair.b.route->Shutdown();
  pair.b.route->SendBare(FrameKind::kAck);
  EXPECT_EQ(pair.b.wire->size(), 0u);
}

// --- memory that a library still has in hand ---

TEST(RouteEndTest, ExpiryIsToldWhenNothingRefersToTheMemoryAnyMore) {
  RoutePair pair{RouteSettings()};
  LentMemory lent(100);
  ASSERT_TRUE(SendNow(&pair.a, DataOf(true, 1, lent.bytes)).ok());
  lent.bytes = SArray<char>();
  pair.a.wire->HoldWhenClosed();
  std::vector<Undelivered> expired;
  pair.a.route->OnTimer(Now() + kLate, &expired);
  EXPECT_TRUE(*lent.alive);
  EXPECT_TRUE(expired.empty());
  EXPECT_TRUE(pair.a.route->HoldsMemory());
  pair.a.wire->LetGo();
  EXPECT_TRUE(pair.a.route->HoldsMemory()) << "until it is told";
  pair.a.route->OnTimer(Now(), &expired);
  EXPECT_FALSE(pair.a.route->HoldsMemory());
  ASSERT_EQ(expired.size(), 1u);
  EXPECT_EQ(expired[0].meta.timestamp, 1);
  EXPECT_FALSE(*lent.alive);
}

TEST(RouteEndTest, CloseIsToldWhenNothingRefersToTheMemoryAnyMore) {
  RoutePair pair{RouteSettings()};
  LentMemory lent(100);
  ASSERT_TRUE(SendNow(&pair.a, DataOf(true, 1, lent.bytes)).ok());
  lent.bytes = SArray<char>();
  pair.a.wire->HoldWhenClosed();
  EXPECT_TRUE(pair.a.route->Close(Status::Unavailable("it left")).empty());
  EXPECT_TRUE(pair.a.route->HoldsMemory());
  pair.a.wire->LetGo();
  std::vector<Undelivered> expired;
  pair.a.route->OnTimer(Now(), &expired);
  ASSERT_EQ(expired.size(), 1u);
  EXPECT_EQ(expired[0].why, Status::Unavailable("it left"));
  EXPECT_FALSE(*lent.alive);
}

TEST(RouteEndTest, ReleaseLentReturnsWhenNothingRefersToTheMemoryAnyMore) {
  Watchdog watchdog;
  RoutePair pair{RouteSettings()};
  LentMemory lent(100);
  ASSERT_TRUE(SendNow(&pair.a, DataOf(true, 1, lent.bytes)).ok());
  lent.bytes = SArray<char>();
  pair.a.wire->HoldWhenClosed();
  std::atomic<bool> returned{false};
  Thread releasing("releasing", [&] {
    pair.a.route->ReleaseLent({3, 4});
    EXPECT_FALSE(*lent.alive);
    returned = true;
  });
  while (pair.a.wire->in_hand() == 0) std::this_thread::yield();
  EXPECT_FALSE(returned);
  pair.a.wire->LetGo();
  std::vector<Undelivered> expired;
  pair.a.route->OnTimer(Now(), &expired);
  releasing.Join();
}

TEST(RouteEndTest, ShutdownLetsGoOfWhoWaitsForMemory) {
  Watchdog watchdog;
  RoutePair pair{RouteSettings()};
  LentMemory lent(100);
  ASSERT_TRUE(SendNow(&pair.a, DataOf(true, 1, lent.bytes)).ok());
  pair.a.wire->HoldWhenClosed();
  Thread releasing("releasing", [&] { pair.a.route->ReleaseLent({3, 4}); });
  while (pair.a.wire->in_hand() == 0) std::this_thread::yield();
  pair.a.route->Shutdown();
  releasing.Join();
}

// --- a peer that may come back ---

RouteSettings Keeping() {
  RouteSettings settings;
  settings.keeps_requests = true;
  settings.request_timeout_ms = 5000;
  return settings;
}

std::vector<int> TimestampsOf(const std::vector<Outgoing>& requests) {
  std::vector<int> timestamps;
  for (const Outgoing& request : requests) timestamps.push_back(request.header.timestamp);
  return timestamps;
}

const Status kLost = Status::Unavailable("server 0 is lost");

TEST(RouteEndTest, KeepsForASuccessorWhatWasNotAnswered) {
  RoutePair pair{Keeping()};
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(SendNow(&pair.a, RequestOf(i)).ok());
  pair.Exchange();
  ASSERT_TRUE(SendNow(&pair.b, ResponseOf(1)).ok());
  pair.Exchange();
  EXPECT_TRUE(pair.a.route->Close(kLost, Route::Then::kKeepRequests).empty());
  EXPECT_TRUE(SendNow(&pair.a, RequestOf(4)).ok()) << "it joins those that wait";
  EXPECT_EQ(SendNow(&pair.a, ResponseOf(9)), kLost) << "nobody there waits for an answer any more";
  EXPECT_TRUE(pair.a.route->WaitDrained(Deadline::After(1))) << "nothing that could leave";
  EXPECT_EQ(TimestampsOf(pair.a.route->Supersede()), (std::vector<int>{0, 2, 3, 4}));
  EXPECT_FALSE(SendNow(&pair.a, RequestOf(5)).ok());
}

TEST(RouteEndTest, TheSuccessorGetsThemBeforeAnythingElse) {
  RoutePair pair{Keeping()};
  std::vector<Outgoing> kept;
  for (int i = 3; i < 6; ++i) kept.push_back(RequestOf(i));
  pair.a.Open(pair.b, Keeping(), kept);
  ASSERT_TRUE(SendNow(&pair.a, RequestOf(6)).ok());
  pair.Exchange();
  EXPECT_EQ(pair.b.Timestamps(), (std::vector<int>{3, 4, 5, 6}));
  EXPECT_EQ(TimestampsOf(pair.a.route->Supersede()), (std::vector<int>{3, 4, 5, 6}))
      << "and keeps them again";
}

TEST(RouteEndTest, WhatWaitsForALostPeerHasADeadline) {
  RoutePair pair{Keeping()};
  ASSERT_TRUE(SendNow(&pair.a, RequestOf(1)).ok());
  pair.Exchange();
  (void)pair.a.route->Close(kLost, Route::Then::kKeepRequests);
  const int64_t lost_ms = Now();
  std::vector<Undelivered> expired;
  EXPECT_LE(pair.a.route->OnTimer(lost_ms + 1000, &expired), lost_ms + 5000);
  EXPECT_TRUE(expired.empty());
  pair.a.route->OnTimer(lost_ms + 5001, &expired);
  ASSERT_EQ(expired.size(), 1u);
  EXPECT_EQ(expired[0].meta.timestamp, 1);
  EXPECT_EQ(expired[0].why.code(), StatusCode::kDeadlineExceeded);
  EXPECT_EQ(expired[0].why.message(), "server 0 is lost; it has not come back in 5 s (PS_REQUEST_TIMEOUT)");
  EXPECT_TRUE(pair.a.route->Supersede().empty());
}

TEST(RouteEndTest, ALostPeerStillBoundsWhatWaitsForIt) {
  RouteSettings settings = Keeping();
  settings.water_mark = 2;
  RoutePair pair{settings};
  ASSERT_TRUE(SendNow(&pair.a, RequestOf(1)).ok());
  pair.Exchange();
  pair.b.route->ReturnCredit(1);
  pair.Exchange();
  (void)pair.a.route->Close(kLost, Route::Then::kKeepRequests);
  EXPECT_TRUE(SendNow(&pair.a, RequestOf(2)).ok());
  EXPECT_EQ(SendNow(&pair.a, RequestOf(3)).code(), StatusCode::kDeadlineExceeded) << "no room";
  pair.a.route->ReleaseLent({3, 4, 1});
  EXPECT_EQ(TimestampsOf(pair.a.route->Supersede()), (std::vector<int>{2}));
}

TEST(RouteEndTest, WhoeverWaitsForRoomGoesOnWithTheSuccessor) {
  Watchdog watchdog;
  RouteSettings settings = Keeping();
  settings.water_mark = 1;
  RoutePair pair{settings};
  ASSERT_TRUE(SendNow(&pair.a, RequestOf(1)).ok());
  WaitingSender sender(&pair.a, RequestOf(2));
  while (pair.a.counters.Get(Counter::kCreditWaits) == 0) std::this_thread::yield();
  (void)pair.a.route->Close(kLost, Route::Then::kKeepRequests);
  EXPECT_EQ(pair.a.route->Supersede().size(), 1u);
  sender.Join();
  EXPECT_FALSE(sender.status.ok()) << "the caller tries the new route";
}

TEST(RouteEndTest, GivingUpAfterAllReportsWhatWasKept) {
  RoutePair pair{Keeping()};
  ASSERT_TRUE(SendNow(&pair.a, RequestOf(1)).ok());
  pair.Exchange();
  (void)pair.a.route->Close(kLost, Route::Then::kKeepRequests);
  const std::vector<Undelivered> undelivered = pair.a.route->Close(Status::Unavailable("the job is over"));
  ASSERT_EQ(undelivered.size(), 1u);
  EXPECT_EQ(undelivered[0].meta.timestamp, 1);
  EXPECT_EQ(undelivered[0].why.message(), "the job is over");
  EXPECT_FALSE(SendNow(&pair.a, RequestOf(2)).ok());
}

TEST(RouteEndTest, ShutdownWakesWhoWaitsForRoomOfALostPeer) {
  Watchdog watchdog;
  RouteSettings settings = Keeping();
  settings.water_mark = 1;
  RoutePair pair{settings};
  ASSERT_TRUE(SendNow(&pair.a, RequestOf(1)).ok());
  (void)pair.a.route->Close(kLost, Route::Then::kKeepRequests);
  WaitingSender sender(&pair.a, RequestOf(2));
  while (pair.a.counters.Get(Counter::kCreditWaits) == 0) std::this_thread::yield();
  pair.a.route->Shutdown();
  sender.Join();
  EXPECT_EQ(sender.status.code(), StatusCode::kCancelled);
  EXPECT_EQ(SendNow(&pair.a, RequestOf(3)).code(), StatusCode::kCancelled);
}

TEST(RouteEndTest, WhatIsGivenUpWhileAPeerIsLostMakesRoom) {
  RouteSettings settings = Keeping();
  settings.water_mark = 2;
  RoutePair pair{settings};
  for (int i = 1; i < 3; ++i) ASSERT_TRUE(SendNow(&pair.a, RequestOf(i)).ok());
  (void)pair.a.route->Close(kLost, Route::Then::kKeepRequests);
  EXPECT_EQ(SendNow(&pair.a, RequestOf(3)).code(), StatusCode::kDeadlineExceeded);
  pair.a.route->ReleaseLent({3, 4, 1});
  EXPECT_TRUE(SendNow(&pair.a, RequestOf(3)).ok());
  pair.a.route->ReleaseLent({3, 4});
  for (int i = 4; i < 6; ++i) EXPECT_TRUE(SendNow(&pair.a, RequestOf(i)).ok());
}

// --- a link that can not be made ---

TEST(RouteEndTest, ALinkThatCanNotBeMadeIsTriedAgain) {
  RoutePair pair{RouteSettings()};
  pair.a.connect_error = Status::ResourceExhausted("too many open files");
  pair.a.Open(pair.b, RouteSettings());
  ASSERT_TRUE(SendNow(&pair.a, RequestOf(1)).ok()) << "it waits";
  EXPECT_TRUE(pair.a.AskedToWake());
  pair.a.connect_error = Status::Ok();
  std::vector<Undelivered> expired;
  pair.a.route->OnTimer(Now() + 1000, &expired);
  EXPECT_TRUE(expired.empty());
  pair.Exchange();
  EXPECT_EQ(pair.b.Timestamps(), (std::vector<int>{1}));
}

TEST(RouteEndTest, TheDeadlineTellsWhyThereWasNoLink) {
  RoutePair pair{RouteSettings()};
  pair.a.connect_error = Status::ResourceExhausted("too many open files");
  pair.a.Open(pair.b, RouteSettings());
  ASSERT_TRUE(SendNow(&pair.a, RequestOf(1)).ok());
  std::vector<Undelivered> expired;
  pair.a.route->OnTimer(Now() + kLate, &expired);
  ASSERT_EQ(expired.size(), 1u);
  EXPECT_NE(expired[0].why.message().find("connecting failed: too many open files"), std::string::npos)
      << expired[0].why;
}

TEST(RouteEndTest, AHandleDoesNotStandStillForALostPeer) {
  RouteSettings settings = Keeping();
  settings.water_mark = 1;
  RoutePair pair{settings};
  ASSERT_TRUE(SendNow(&pair.a, RequestOf(1)).ok());
  (void)pair.a.route->Close(kLost, Route::Then::kKeepRequests);
  SendOptions of_a_handle;
  of_a_handle.room_timeout_ms = 0;  // for ever
  of_a_handle.queue_when_full = true;
  Outgoing second = RequestOf(2);
  EXPECT_TRUE(pair.a.route->Send(&second, of_a_handle).ok());
  EXPECT_EQ(TimestampsOf(pair.a.route->Supersede()), (std::vector<int>{1, 2}));
}

TEST(RouteEndTest, WhatIsForThisLifeDoesNotGoToTheNext) {
  RoutePair pair{Keeping()};
  SendOptions for_this_life;
  for_this_life.queue_when_full = true;
  for_this_life.for_this_life = true;
  Outgoing first = RequestOf(1);
  EXPECT_TRUE(pair.a.route->Send(&first, for_this_life).ok());
  ASSERT_TRUE(SendNow(&pair.a, RequestOf(2)).ok());
  pair.Exchange();
  EXPECT_EQ(pair.b.Timestamps(), (std::vector<int>{1, 2}));
  (void)pair.a.route->Close(kLost, Route::Then::kKeepRequests);
  Outgoing third = RequestOf(3);
  EXPECT_TRUE(pair.a.route->Send(&third, for_this_life).ok()) << "dropped: nobody is told before";
  EXPECT_EQ(TimestampsOf(pair.a.route->Supersede()), (std::vector<int>{2}));
}

}  // namespace
}  // namespace ps

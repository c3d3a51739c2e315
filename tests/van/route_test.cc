#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/route_steps.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

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

TEST(RouteTest, TheLinkSaysHowLargeItsPiecesAre) {
  RouteSettings settings;
  settings.chunk_bytes = 100;
  RoutePair pair{settings};
  pair.a.piece_bytes = 30;
  pair.a.Open(pair.b, settings);
  ASSERT_TRUE(SendNow(&pair.a, RequestOf(1, std::string(90, 'x'))).ok());
  EXPECT_EQ(pair.a.wire->size(), 3u);
  pair.Exchange();
  ASSERT_EQ(pair.b.ready.size(), 1u);
  EXPECT_EQ(pair.b.ready[0].blocks[kBlockVals].size(), 90u);
}

TEST(RouteTest, WhatIsUrgentOvertakesBetweenChunks) {
  RouteSettings settings;
  settings.chunk_bytes = 100;
  RoutePair pair{settings};
  pair.a.wire->SetRoom(3);
  ASSERT_TRUE(SendNow(&pair.a, RequestOf(1, std::string(1000, 'x'), 0)).ok());
  ASSERT_TRUE(SendNow(&pair.a, RequestOf(2, "urgent", 5)).ok());
  pair.a.wire->SetRoom(1000);
  Pump(&pair.a);
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
  Pump(&pair.a);
  pair.Exchange();
  EXPECT_EQ(pair.b.Timestamps(), (std::vector<int>{1}));
}

TEST(RouteTest, AFrameThatFindsNoMemoryIsSentLater) {
  RoutePair pair{RouteSettings()};
  pair.a.wire->SetRoom(10, true);
  ASSERT_TRUE(SendNow(&pair.a, RequestOf(1, "one")).ok());
  pair.a.wire->SetRoom(10, true);
  ASSERT_TRUE(SendNow(&pair.a, RequestOf(2, "two")).ok()) << "behind the first";
  EXPECT_TRUE(pair.a.AskedToWake());
  Pump(&pair.a);
  pair.Exchange();
  EXPECT_EQ(pair.b.Timestamps(), (std::vector<int>{1, 2}));
  EXPECT_EQ(pair.b.ready[0].blocks[kBlockVals].size(), 3u);
}

TEST(RouteTest, WhatWaitsIsNotOvertakenByWhatCouldGoAtOnce) {
  RoutePair pair{RouteSettings()};
  pair.a.wire->SetRoom(0);
  ASSERT_TRUE(SendNow(&pair.a, RequestOf(1, "one")).ok());
  pair.a.wire->SetRoom(10);
  ASSERT_TRUE(SendNow(&pair.a, RequestOf(2, "two")).ok());
  ASSERT_TRUE(SendNow(&pair.a, RequestOf(3, "three")).ok());
  pair.Exchange();
  EXPECT_EQ(pair.b.Timestamps(), (std::vector<int>{1, 2, 3}));
  EXPECT_EQ(pair.b.ready[0].blocks[kBlockVals].size(), 3u) << "a full link took nothing of it";
}

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

TEST(RouteTest, WhoWaitsForRoomOrForTheEndIsNotLeftAloneByAHelperThatHasGone) {
  RoutePair pair{OneAtATime()};
  int num_woken = 0;
  pair.a.dependents->SetWake([&num_woken] { ++num_woken; });
  ASSERT_TRUE(SendNow(&pair.a, RequestOf(1)).ok());
  EXPECT_TRUE(pair.a.dependents->MayLeave());
  EXPECT_FALSE(SendNow(&pair.a, RequestOf(2)).ok());
  EXPECT_EQ(num_woken, 1);
  EXPECT_TRUE(pair.a.dependents->MayLeave());
  EXPECT_FALSE(pair.a.route->WaitDrained(Deadline::After(-1)));
  EXPECT_EQ(num_woken, 2);
}

TEST(RouteTest, AHandlersRequestIsQueuedAllTheSame) {
  RoutePair pair{OneAtATime()};
  ASSERT_TRUE(SendNow(&pair.a, RequestOf(1)).ok());
  SendOptions options;
  options.room_timeout_ms = 1;
  options.queue_when_full = true;
  Outgoing second = RequestOf(2);
  EXPECT_TRUE(pair.a.route->Send(&second, options).ok());
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
  Pump(&pair.b);
  pair.Exchange();
  EXPECT_TRUE(SendNow(&pair.a, RequestOf(3)).ok());
}

}  // namespace
}  // namespace ps

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/route_steps.h"

namespace ps {
namespace {

TEST(RouteReceiveTest, AsksForWhatWasLostAndSendsOnlyThatAgain) {
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

TEST(RouteReceiveTest, AnAnswerDoubledOnItsWayCostsNothing) {
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

TEST(RouteReceiveTest, DoubledFramesAreDeliveredOnce) {
  RoutePair pair{RouteSettings()};
  ASSERT_TRUE(SendNow(&pair.a, RequestOf(1)).ok());
  Frame frame;
  ASSERT_TRUE(pair.a.wire->Take(&frame));
  const Header header = DecodeHeader(frame.head.data(), frame.head.size()).value();
  for (int i = 0; i < 3; ++i) pair.b.route->OnFrame(header, frame, &pair.b.ready);
  EXPECT_EQ(pair.b.ready.size(), 1u);
  EXPECT_EQ(pair.b.counters.Get(Counter::kDuplicatesDropped), 2u);
}

TEST(RouteReceiveTest, WhatIsKeptForLaterIsACopy) {
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

}  // namespace
}  // namespace ps

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

TEST(RouteReceiveTest, CreditsReturnedByManyThreadsAreAllTold) {
  constexpr uint32_t kEach = 2000;
  RouteSettings settings;
  settings.water_mark = 50;
  RoutePair pair{settings};
  const auto return_all = [&pair] {
    for (uint32_t i = 0; i < kEach; ++i) pair.b.route->ReturnCredit(3);
  };
  {
    Thread one("one", return_all);
    Thread other("other", return_all);
    for (int i = 0; i < 500; ++i) ASSERT_TRUE(SendNow(&pair.b, ResponseOf(i)).ok());
  }
  pair.b.route->SendBare(FrameKind::kAck);
  const std::vector<Header> told = pair.b.wire->TakeHeaders();
  EXPECT_EQ(told.back().credit_requests, 2 * kEach);
  EXPECT_EQ(told.back().credit_bytes, 6 * kEach);
}

// Whoever comes second sees the other: the answer to the question carries the credit, or a timer will.
TEST(RouteReceiveTest, ACreditReturnedWhileThePeerSaysThatItWaitsIsTold) {
  constexpr uint32_t kRounds = 300;
  RoutePair pair{RouteSettings()};
  Header ask;
  ask.kind = FrameKind::kAsk;
  ask.head = kAskWantsRoom;
  uint32_t told = 0;
  const auto hear = [&] {
    for (const Header& header : pair.b.wire->TakeHeaders()) told = header.credit_requests;
  };
  for (uint32_t round = 1; round <= kRounds; ++round) {
    {
      Thread handler("handler", [&pair] { pair.b.route->ReturnCredit(1); });
      pair.b.route->OnFrame(ask, Frame(), &pair.b.ready);
    }
    hear();
    EXPECT_TRUE(told == round || pair.b.AskedToWake());
    Pump(&pair.b);
    hear();
    ASSERT_EQ(told, round);
  }
}

}  // namespace
}  // namespace ps

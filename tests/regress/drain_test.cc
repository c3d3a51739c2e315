// A route that drains repairs what was lost: no timer needs to run out first.
#include <gtest/gtest.h>

#include <thread>

#include "tests/support/route_steps.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

TEST(DrainTest, WhatWasLostIsSentAgain) {
  const Watchdog watchdog;
  RouteSettings settings;
  settings.ask_after_ms = 2;
  RoutePair pair(settings);
  ASSERT_TRUE(SendNow(&pair.a, RequestOf(5)).ok());
  pair.a.wire->Drop();
  // The frame must have an age: the question may have overtaken what is younger.
  while (pair.b.ready.empty()) {
    EXPECT_FALSE(pair.a.route->WaitDrained(Deadline::After(1)));
    pair.Exchange();
    std::this_thread::yield();
  }
  EXPECT_EQ(pair.b.Timestamps(), (std::vector<int>{5}));
  EXPECT_EQ(pair.a.counters.Get(Counter::kResendsSent), 1u);
  EXPECT_FALSE(pair.a.route->WaitDrained(
      Deadline::After(1)));  // not drained yet: the acknowledgement comes with the answer
  pair.Exchange();
  EXPECT_TRUE(pair.a.route->WaitDrained(Deadline::After(1)));
}

}  // namespace
}  // namespace ps

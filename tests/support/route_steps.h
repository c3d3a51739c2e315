// What tests of Route do with a pair of them.
#ifndef PS_TESTS_SUPPORT_ROUTE_STEPS_H_
#define PS_TESTS_SUPPORT_ROUTE_STEPS_H_

#include <gtest/gtest.h>

#include <atomic>
#include <vector>

#include "base/clock.h"
#include "base/thread.h"
#include "tests/support/route_pair.h"

namespace ps {

constexpr int64_t kLate = 100000;  // past every deadline of these tests

inline int64_t Now() { return Clock::Real().NowMs(); }

inline Status SendNow(RouteEnd* end, Outgoing message) {
  SendOptions options;
  options.room_timeout_ms = 1;
  return end->route->Send(&message, options);
}

// Sends what the link had no room for.
inline void Pump(RouteEnd* end) {
  std::vector<Undelivered> expired;
  end->route->OnTimer(Now(), &expired);
  EXPECT_TRUE(expired.empty());
}

inline RouteSettings OneAtATime() {
  RouteSettings settings;
  settings.water_mark = 1;
  return settings;
}

// Sends a request on a thread of its own; it waits for room first.
class WaitingSender {
 public:
  WaitingSender(RouteEnd* end, Outgoing message, SendOptions options = SendOptions())
      : thread_("sender", [this, end, message, options] {
          Outgoing own = message;
          status = end->route->Send(&own, options);
          done = true;
        }) {}

  std::atomic<bool> done{false};
  Status status;

  void Join() { thread_.Join(); }

 private:
  Thread thread_;
};

}  // namespace ps
#endif  // PS_TESTS_SUPPORT_ROUTE_STEPS_H_

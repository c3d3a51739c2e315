#include "transport/release_hook.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "tests/support/watchdog.h"

namespace ps {
namespace {

TEST(ReleaseHookTest, CallsUntilItIsClosed) {
  ReleaseHook hook;
  hook.Call();  // without a callback
  int calls = 0;
  hook.Set([&] { ++calls; });
  hook.Call();
  hook.Call();
  EXPECT_EQ(calls, 2);
  hook.Close();
  hook.Close();
  hook.Call();
  EXPECT_EQ(calls, 2);
}

TEST(ReleaseHookTest, CallbackMayCallAgain) {
  ReleaseHook hook;
  int depth = 0;
  hook.Set([&] {
    if (++depth < 3) hook.Call();
  });
  hook.Call();
  EXPECT_EQ(depth, 3);
}

TEST(ReleaseHookTest, CloseWaitsForTheCallThatRuns) {
  Watchdog watchdog;
  ReleaseHook hook;
  std::atomic<bool> entered{false};
  std::atomic<bool> leave{false};
  std::atomic<bool> left{false};
  hook.Set([&] {
    entered = true;
    while (!leave) std::this_thread::yield();
    left = true;
  });
  std::thread caller([&] { hook.Call(); });
  while (!entered) std::this_thread::yield();
  std::thread closer([&] {
    hook.Close();
    EXPECT_TRUE(left);
  });
  leave = true;
  closer.join();
  caller.join();
}

}  // namespace
}  // namespace ps

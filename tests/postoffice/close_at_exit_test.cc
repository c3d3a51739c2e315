#include "postoffice/close_at_exit.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <string>

#include "tests/support/log_capture.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

TEST(CloseAtExitTest, ClosesOnceWhenItGoes) {
  const Watchdog watchdog(std::chrono::seconds(20));
  std::atomic<int> num_closed{0};
  {
    const CloseAtExit closer([&] { ++num_closed; });
    EXPECT_EQ(num_closed.load(), 0);
  }
  EXPECT_EQ(num_closed.load(), 1);
}

TEST(CloseAtExitTest, WhatNeverReturnsIsLeftBehindAndToldOf) {
  const Watchdog watchdog(std::chrono::seconds(20));
  LogCapture log;
  const auto release = std::make_shared<std::promise<void>>();
  const auto done = std::make_shared<std::promise<void>>();
  {
    const CloseAtExit closer([released = release->get_future().share(), done] {
      released.wait();
      done->set_value();
    });
  }
  EXPECT_EQ(log.Count("the process ends without waiting"), 1);
  release->set_value();
  done->get_future().wait();
}

}  // namespace
}  // namespace ps

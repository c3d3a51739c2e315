#include "cluster/on_nodes.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <string>

#include "base/mutex.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

class OnNodesTest : public testing::Test {
 protected:
  Watchdog watchdog_{std::chrono::seconds(20)};
  Postoffice a_{Config{}};
  Postoffice b_{Config{}};
};

TEST_F(OnNodesTest, RunsForAllAtOnceEachOnAThreadThatIsBoundToIt) {
  std::atomic<int> num_met{0};
  Mutex mutex;
  CondVar met;
  const auto step = [&](Postoffice& node) {
    EXPECT_EQ(Postoffice::Get(), &node);
    MutexLock lock(mutex);
    ++num_met;
    met.NotifyAll();
    while (num_met.load() < 2) met.Wait(mutex);
  };
  EXPECT_EQ(OnNodes({&a_, &b_}, step, nullptr), nullptr);
  EXPECT_EQ(num_met.load(), 2);
}

TEST_F(OnNodesTest, TheFirstErrorClosesOnceAndIsReturned) {
  std::atomic<int> num_closed{0};
  const auto fail = [](Postoffice&) { throw Error(Status::NotFound("nobody")); };
  const std::exception_ptr error = OnNodes({&a_, &b_}, fail, [&] { ++num_closed; });
  EXPECT_EQ(StatusOf(error), Status::NotFound("nobody"));
  EXPECT_EQ(num_closed.load(), 1);
}

TEST_F(OnNodesTest, WithoutACloseTheOthersGoOn) {
  std::atomic<int> num_done{0};
  const auto step = [&](Postoffice& node) {
    if (&node == &a_) throw std::runtime_error("no node");
    ++num_done;
  };
  EXPECT_EQ(StatusOf(OnNodes({&a_, &b_}, step, nullptr)), Status::Internal("no node"));
  EXPECT_EQ(num_done.load(), 1);
}

TEST_F(OnNodesTest, WhatIsThrownIsToldWhateverItIs) {
  EXPECT_TRUE(StatusOf(nullptr).ok());
  EXPECT_EQ(StatusOf(OnNodes(
                         {&a_}, [](Postoffice&) { throw 1; }, nullptr))
                .code(),
            StatusCode::kInternal);
}

}  // namespace
}  // namespace ps

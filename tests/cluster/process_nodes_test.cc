#include "cluster/process_nodes.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <string>
#include <vector>

#include "tests/support/inproc_vans.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

using std::chrono::seconds;

TEST(ProcessNodesTest, SeveralNodesOfAProcessAreMembersEach) {
  const Watchdog watchdog(seconds(30));
  const InprocVans vans(2, 2);
  ProcessNodes first(
      {vans.ConfigOf(Role::kScheduler, -1), vans.ConfigOf(Role::kServer, 0), vans.ConfigOf(Role::kWorker, 0)},
      vans.factory());
  ProcessNodes second({vans.ConfigOf(Role::kServer, 1), vans.ConfigOf(Role::kWorker, 1)}, vans.factory());
  auto started = std::async(std::launch::async, [&] { return second.Start("second"); });
  ASSERT_TRUE(first.Start("first").ok());
  ASSERT_TRUE(started.get().ok());
  EXPECT_NE(first.Find(Role::kScheduler), nullptr);
  EXPECT_EQ(second.Find(Role::kScheduler), nullptr);
  EXPECT_EQ(second.Find(Role::kServer)->my_rank(), 1);
  EXPECT_EQ(second.Find(Role::kWorker)->my_rank(), 1);
  EXPECT_EQ(first.Find(Role::kWorker)->num_workers(), 2);

  auto ended = std::async(std::launch::async, [&] { return second.Finalize(); });
  EXPECT_TRUE(first.Finalize().ok());
  EXPECT_TRUE(ended.get().ok());
}

TEST(ProcessNodesTest, ABarrierIsAboutAllProcesses) {
  const Watchdog watchdog(seconds(30));
  const InprocVans vans(1, 2);
  ProcessNodes both({vans.ConfigOf(Role::kServer, 0), vans.ConfigOf(Role::kWorker, 0)}, vans.factory());
  ProcessNodes server({vans.ConfigOf(Role::kServer, 1)}, vans.factory());
  ProcessNodes scheduler({vans.ConfigOf(Role::kScheduler, -1)}, vans.factory());
  auto started = std::async(std::launch::async, [&] { return server.Start(nullptr); });
  auto scheduling = std::async(std::launch::async, [&] {
    const Status status = scheduler.Start(nullptr);
    return status.ok() ? scheduler.Finalize() : status;
  });
  ASSERT_TRUE(both.Start(nullptr).ok());
  ASSERT_TRUE(started.get().ok());

  const Status alone = both.Barrier(200);
  EXPECT_EQ(alone.code(), StatusCode::kDeadlineExceeded) << alone;
  std::atomic<bool> has_come{false};
  auto meeting = std::async(std::launch::async, [&] {
    const Status met = both.Barrier(20000);
    EXPECT_TRUE(has_come.load());
    return met;
  });
  has_come = true;
  EXPECT_TRUE(server.Barrier(20000).ok());
  EXPECT_TRUE(meeting.get().ok());

  auto ended = std::async(std::launch::async, [&] { return server.Finalize(); });
  EXPECT_TRUE(both.Finalize().ok());
  EXPECT_TRUE(ended.get().ok());
  EXPECT_TRUE(scheduling.get().ok());
}

TEST(ProcessNodesTest, WhenOneNodeCanNotStartTheOthersDoNotWait) {
  const Watchdog watchdog(seconds(30));
  const InprocVans vans(1, 1);
  Config wrong = vans.ConfigOf(Role::kWorker, 0);
  wrong.heartbeat_interval_ms = -1;
  ProcessNodes nodes({vans.ConfigOf(Role::kScheduler, -1), vans.ConfigOf(Role::kServer, 0), wrong},
                     vans.factory());
  const Status started = nodes.Start(nullptr);
  EXPECT_NE(started.message().find("PS_HEARTBEAT_INTERVAL"), std::string::npos) << started;
}

}  // namespace
}  // namespace ps

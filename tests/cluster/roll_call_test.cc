#include "cluster/roll_call.h"

#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include "cluster/process_nodes.h"
#include "tests/support/inproc_vans.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

using std::chrono::milliseconds;
using Processes = std::vector<ProcessMembers>;

// What one process hears. The first one is the scheduler's, too.
Processes Hear(const InprocVans& vans, const ProcessMembers& process, bool has_scheduler) {
  std::vector<Config> configs;
  if (has_scheduler) configs.push_back(vans.ConfigOf(Role::kScheduler, -1));
  if (process.server >= 0) configs.push_back(vans.ConfigOf(Role::kServer, process.server));
  if (process.worker >= 0) configs.push_back(vans.ConfigOf(Role::kWorker, process.worker));
  ProcessNodes nodes(configs, vans.factory());
  ThrowIfError(nodes.Start(nullptr));
  Processes heard;
  {
    RollCall call(nodes.Find(Role::kWorker), nodes.Find(Role::kServer));
    heard = call.Take(milliseconds(20000)).value();
    ThrowIfError(nodes.Barrier(20000));
  }
  ThrowIfError(nodes.Finalize());
  return heard;
}

TEST(RollCallTest, TellsEveryProcessWhichNodesLiveWhere) {
  const Watchdog watchdog(std::chrono::minutes(1));
  const Processes jobs[] = {
      {{0, 0}},                    // one process
      {{0, 1}, {1, 0}},            // both roles, with other ranks
      {{0, -1}, {-1, 0}},          // apart
      {{0, 1}, {1, -1}, {-1, 0}},  // mixed
      {{0, -1}, {1, -1}},          // no servers
      {{-1, 0}, {-1, 1}},          // no workers
  };
  for (const Processes& job : jobs) {
    SCOPED_TRACE(EncodeProcesses(job));
    int workers = 0;
    int servers = 0;
    for (const ProcessMembers& process : job) {
      if (process.worker >= 0) ++workers;
      if (process.server >= 0) ++servers;
    }
    const InprocVans vans(workers, servers);
    std::vector<std::future<Processes>> heard;
    for (std::size_t i = 0; i < job.size(); ++i)
      heard.push_back(std::async(std::launch::async, Hear, vans, job[i], i == 0));
    for (auto& one : heard) EXPECT_EQ(one.get(), job);
  }
}

TEST(RollCallTest, SaysWhoHasNotCome) {
  const Watchdog watchdog(std::chrono::seconds(30));
  const InprocVans vans(1, 2);
  ProcessNodes caller({vans.ConfigOf(Role::kScheduler, -1), vans.ConfigOf(Role::kServer, 0)}, vans.factory());
  ProcessNodes others({vans.ConfigOf(Role::kServer, 1), vans.ConfigOf(Role::kWorker, 0)}, vans.factory());
  auto started = std::async(std::launch::async, [&] { return others.Start(nullptr); });
  ASSERT_TRUE(caller.Start(nullptr).ok());
  ASSERT_TRUE(started.get().ok());
  RollCall call(nullptr, caller.Find(Role::kServer));
  const Status missing = call.Take(milliseconds(200)).status();
  EXPECT_EQ(missing.code(), StatusCode::kDeadlineExceeded);
  EXPECT_NE(missing.message().find("worker 0, server 1"), std::string::npos) << missing;
}

}  // namespace
}  // namespace ps

// SharedModel over processes: one program in all roles.
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <string>

#include "tests/support/job.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

constexpr std::chrono::seconds kLimit(40);

TEST(ProcessModel, AsynchronousSumsOfThreeWorkers) {  // sm-vec-26
  const Watchdog watchdog(std::chrono::minutes(2));
  Job job(1, 3);
  job.program = ProgramPath("process/model_node");
  job.StartAll({"sums"});
  ASSERT_TRUE(job.AllSucceedWithin(kLimit));
  int num_nines = 0;
  for (int worker = 2; worker < 5; ++worker)
    num_nines += job.node(worker).output().find("first 9") != std::string::npos ? 1 : 0;
  EXPECT_GE(num_nines, 1) << "the one whose push was applied last";
}

TEST(ProcessModel, DevicesOfTwoProcessesAreSummedOrAveraged) {  // sm-vec-28
  for (const char* scale : {"sum", "mean"}) {
    const Watchdog watchdog(std::chrono::minutes(2));
    Job job(0, 2);
    job.program = ProgramPath("process/model_node");
    job.StartAll({"allreduce", scale});
    ASSERT_TRUE(job.AllSucceedWithin(kLimit));
    const std::string expected = scale == std::string("sum") ? "10" : "5";
    for (int worker = 1; worker < 3; ++worker) {
      for (const char* round : {"1", "2", "3"})
        EXPECT_NE(job.node(worker).output().find(std::string("round ") + round + ": " + expected + "\n"),
                  std::string::npos)
            << job.node(worker).output();
    }
  }
}

TEST(ProcessModel, ServersRunTheProgramsRuleWithItsCommandLine) {
  const Watchdog watchdog(std::chrono::minutes(2));
  Job job(1, 2);
  job.program = ProgramPath("process/model_node");
  job.StartAll({"updater"});
  ASSERT_TRUE(job.AllSucceedWithin(kLimit));
  EXPECT_NE(job.node(1).output().find("InitUpdater(0) updater\n"), std::string::npos) << job.node(1).output();
}

TEST(ProcessModel, AServerThatDoesNotKnowTheRuleSaysSo) {
  const Watchdog watchdog(std::chrono::minutes(2));
  Job job(1, 1);
  job.program = ProgramPath("bin/ps_node");
  job.Start("scheduler", {});
  job.Start("server", {});
  job.program = ProgramPath("process/model_node");
  Process* const worker = job.Start("worker", {"updater"});
  ASSERT_TRUE(worker->EndsWithin(kLimit));
  EXPECT_EQ(worker->exit_code(), 1);
  EXPECT_NE(worker->output().find("no updater is called 'adding'"), std::string::npos) << worker->output();
}

// A worker is killed in a round.
void KillWorkerOne(int servers, const std::string& type, const std::string& mode) {
  const Watchdog watchdog(std::chrono::minutes(2));
  Job job(servers, 3);
  job.program = ProgramPath("process/model_node");
  job.variables["PS_HEARTBEAT_INTERVAL"] = "0.1";
  job.variables["PS_HEARTBEAT_TIMEOUT"] = "0.5";
  job.Start("scheduler", {});
  for (int i = 0; i < servers; ++i) job.Start("server", {}, {{"DMLC_RANK", std::to_string(i)}});
  for (int i = 0; i < 3; ++i) job.Start("worker", {"killed", type, mode}, {{"DMLC_RANK", std::to_string(i)}});
  const int first = 1 + servers;
  for (const int rank : {1, 0, 2}) ASSERT_TRUE(job.node(first + rank).EndsWithin(kLimit)) << rank;
  EXPECT_EQ(job.node(first + 1).exit_code(), 128 + SIGKILL);
  for (const int rank : {0, 2}) {
    Process& worker = job.node(first + rank);
    EXPECT_EQ(worker.exit_code(), 0) << worker.output();
    EXPECT_NE(worker.output().find("told: "), std::string::npos) << worker.output();
  }
}

TEST(ProcessModel, AWorkerKilledInARoundIsNamedByTheServers) { KillWorkerOne(1, "dist", "bsp"); }

TEST(ProcessModel, AWorkerKilledInARoundIsNamedByAllreduce) { KillWorkerOne(0, "allreduce", "-"); }

}  // namespace
}  // namespace ps

// The acceptance vectors of KVStore with a process per node: ps_node serves, kv_worker runs them. One job for
// all vectors of its size.
#include <gtest/gtest.h>

#include <chrono>
#include <set>
#include <string>
#include <utility>

#include "tests/support/job.h"
#include "tests/support/kv_program.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

// Workers and servers.
using Size = std::pair<int, int>;

std::set<Size> SizesOfJobs() {
  std::set<Size> sizes;
  for (const std::string& file : KVProgram::Files()) {
    for (const nlohmann::json& vector : KVProgram::Read(file)) {
      if (KVProgram::IsDistributed(vector)) sizes.emplace(vector.at("workers"), vector.at("servers"));
    }
  }
  return sizes;
}

class ProcessKVVectors : public testing::TestWithParam<Size> {};
INSTANTIATE_TEST_SUITE_P(Jobs, ProcessKVVectors, testing::ValuesIn(SizesOfJobs()),
                         [](const testing::TestParamInfo<Size>& info) {
                           return std::to_string(info.param.first) + "Workers" +
                                  std::to_string(info.param.second) + "Servers";
                         });

TEST_P(ProcessKVVectors, GiveWhatTheyMust) {
  const Watchdog watchdog(std::chrono::seconds(90));
  const auto [workers, servers] = GetParam();
  Job job(servers, workers);
  job.program = ProgramPath("bin/ps_node");
  job.Start("scheduler", {});
  for (int i = 0; i < servers; ++i) job.Start("server", {});
  job.program = ProgramPath("process/kv_worker");
  for (int i = 0; i < workers; ++i) job.Start("worker", {std::to_string(workers), std::to_string(servers)});
  EXPECT_TRUE(job.AllSucceedWithin(std::chrono::seconds(60)));
}

}  // namespace
}  // namespace ps

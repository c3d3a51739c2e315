// The acceptance vectors of the tables with a process per node (ps_node serves, table_worker runs them), and
// processes of any roles.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/job.h"
#include "tests/support/table_program.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

using Roles = std::vector<std::string>;

TEST(ProcessTableVectors, GiveWhatTheyMust) {
  const Watchdog watchdog(std::chrono::minutes(3));
  std::map<std::pair<int, int>, std::vector<std::string>> by_size;  // servers, workers
  for (const nlohmann::json& vector : TableProgram::Read("tables.json"))
    by_size[{vector.at("servers"), vector.at("workers")}].push_back(vector.at("id"));
  for (const auto& [size, ids] : by_size) {
    const auto [servers, workers] = size;
    SCOPED_TRACE(std::to_string(servers) + " servers, " + std::to_string(workers) + " workers");
    Job job(servers, workers);
    job.program = ProgramPath("bin/ps_node");
    job.Start("scheduler", {});
    for (int i = 0; i < servers; ++i) job.Start("server", {});
    job.program = ProgramPath("process/table_worker");
    Roles arguments = {"vectors", "tables.json"};
    arguments.insert(arguments.end(), ids.begin(), ids.end());
    for (int i = 0; i < workers; ++i) job.Start("worker", arguments);
    ASSERT_TRUE(job.AllSucceedWithin(std::chrono::seconds(60)));
  }
}

// All that three processes can be, with a server and a worker at least.
std::vector<std::vector<Roles>> Assignments() {
  const Roles kinds[] = {{"server"}, {"worker"}, {"server", "worker"}};
  std::vector<std::vector<Roles>> all;
  for (int code = 0; code < 27; ++code) {
    const std::vector<Roles> processes = {kinds[code % 3], kinds[code / 3 % 3], kinds[code / 9]};
    const auto has = [&processes](const std::string& role) {
      return std::any_of(processes.begin(), processes.end(), [&role](const Roles& roles) {
        return std::find(roles.begin(), roles.end(), role) != roles.end();
      });
    };
    if (has("server") && has("worker")) all.push_back(processes);
  }
  return all;
}

void RunJob(const std::vector<Roles>& processes) {
  int servers = 0;
  int workers = 0;
  for (const Roles& roles : processes) {
    for (const std::string& role : roles) ++(role == "server" ? servers : workers);
  }
  Job job(servers, workers);
  job.program = ProgramPath("bin/ps_node");
  job.Start("scheduler", {});
  job.program = ProgramPath("process/table_worker");
  for (const Roles& roles : processes) {
    Roles arguments = {"nodes"};
    arguments.insert(arguments.end(), roles.begin(), roles.end());
    job.Start("worker", arguments);  // each node of it says its own role
  }
  ASSERT_TRUE(job.AllSucceedWithin(std::chrono::seconds(30)));
}

TEST(ProcessTableVectors, TblCase05AnyRolesAnywhere) {
  const Watchdog watchdog(std::chrono::minutes(3));
  const unsigned seed = std::random_device()();
  RecordProperty("seed", std::to_string(seed));
  std::printf("seed %u\n", seed);
  std::mt19937 random(seed);
  std::vector<std::vector<Roles>> all = Assignments();
  EXPECT_EQ(all.size(), 25u);
  std::shuffle(all.begin(), all.end(), random);
  for (std::vector<Roles>& processes : all) {
    std::shuffle(processes.begin(), processes.end(), random);
    RunJob(processes);
    ASSERT_FALSE(testing::Test::HasFailure());
  }
  std::printf("tbl-case-05 ok\n");
}

}  // namespace
}  // namespace ps

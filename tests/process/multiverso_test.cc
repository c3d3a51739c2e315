// Programs of Multiverso's shape as processes: both roles in each, roles apart, machine lists, errors.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/job.h"
#include "tests/support/process.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

using std::chrono::seconds;
using Arguments = std::vector<std::string>;

std::size_t Count(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

// tracker/local.sh with these arguments; its output.
std::string Launch(const Arguments& shape, const Arguments& program) {
  const char* const root = std::getenv("PS_ROOT");
  Arguments command = {std::string(root == nullptr ? "." : root) + "/tracker/local.sh", "--timeout", "60"};
  command.insert(command.end(), shape.begin(), shape.end());
  command.push_back(ProgramPath("process/multiverso_worker"));
  command.insert(command.end(), program.begin(), program.end());
  Process launcher(command, {});
  EXPECT_TRUE(launcher.EndsWithin(seconds(70)));
  EXPECT_EQ(launcher.exit_code(), 0) << launcher.output();
  return launcher.output();
}

TEST(ProcessMultiverso, ProcessesOfBothRolesRunTheProgramsAsTheyAre) {
  const Watchdog watchdog(std::chrono::minutes(4));
  for (const char* const number : {"1", "3"}) {
    const Arguments joint = {"--joint", number};
    const auto workers = static_cast<std::size_t>(std::stoi(number));
    for (const char* const program : {"array", "matrix", "sparse", "map", "own_table"}) {
      const std::string output = Launch(joint, {program});
      EXPECT_EQ(Count(output, std::string(program) + " ok"), workers) << output;
    }
    EXPECT_EQ(Count(Launch(joint, {"sync", "-sync=true"}), "sync ok"), workers);
    const std::string output = Launch(joint, {"shape", number, number, number});
    for (const char* const line : {"rank 0 worker 0 server 0", "rank 2 worker 2 server 2"}) {
      EXPECT_EQ(Count(output, line), workers == 3 || line[5] == '0' ? 1u : 0u) << output;
    }
  }
}

TEST(ProcessMultiverso, TblVec08And31RolesApart) {
  const Watchdog watchdog(std::chrono::minutes(3));
  for (const Arguments& shape : {Arguments{"1", "1"}, Arguments{"2", "3"}}) {
    const auto workers = static_cast<std::size_t>(std::stoi(shape[1]));
    for (const char* const program : {"array", "matrix", "map", "own_table"})
      EXPECT_EQ(Count(Launch(shape, {program}), std::string(program) + " ok"), workers);
    EXPECT_EQ(Count(Launch(shape, {"sync", "-sync=true"}), "sync ok"), workers);
  }
}

TEST(ProcessMultiverso, TblVec67And68ModelAveragingNeedsNoServers) {
  const Watchdog watchdog(std::chrono::minutes(2));
  for (const Arguments& shape : {Arguments{"0", "3"}, Arguments{"0", "1"}, Arguments{"--joint", "2"}}) {
    const auto workers = static_cast<std::size_t>(std::stoi(shape[1]));
    EXPECT_EQ(Count(Launch(shape, {"aggregate", "-ma=true"}), "aggregate ok"), workers);
  }
}

// --- tbl-case-05 ---

// What processes can be, and how they are told.
struct Kind {
  bool is_server;
  bool is_worker;
  const char* dmlc_role;
  const char* flag;  // null: none
};

void RunAssignment(const std::vector<Kind>& kinds, const std::string& program) {
  int servers = 0;
  int workers = 0;
  for (const Kind& kind : kinds) {
    if (kind.is_server) ++servers;
    if (kind.is_worker) ++workers;
  }
  Job job(servers, workers);
  job.program = ProgramPath("process/multiverso_worker");
  job.Start("scheduler", {program});
  for (const Kind& kind : kinds) {
    Arguments arguments = {program};
    if (kind.flag != nullptr) arguments.emplace_back(kind.flag);
    job.Start(kind.dmlc_role, arguments);
  }
  ASSERT_TRUE(job.AllSucceedWithin(seconds(30)));
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    EXPECT_EQ(Count(job.node(static_cast<int>(i) + 1).output(), program + " ok"),
              kinds[i].is_worker ? 1u : 0u);
  }
}

TEST(ProcessMultiverso, TblCase05AnyRolesAnywhere) {
  const Watchdog watchdog(std::chrono::minutes(4));
  const unsigned seed = std::random_device()();
  std::printf("seed %u\n", seed);
  std::mt19937 random(seed);
  const std::vector<std::vector<Kind>> ways = {
      {{true, false, "server", nullptr}, {true, false, "worker", "-ps_role=server"}},
      {{false, true, "worker", nullptr}, {false, true, "joint", "-ps_role=worker"}},
      {{true, true, "joint", nullptr}, {true, true, "server", "-ps_role=default"}}};
  int num_run = 0;
  std::vector<int> codes(27);
  for (int code = 0; code < 27; ++code) codes[static_cast<std::size_t>(code)] = code;
  std::shuffle(codes.begin(), codes.end(), random);
  for (const int code : codes) {
    std::vector<Kind> kinds;
    for (const int way : {code % 3, code / 3 % 3, code / 9})
      kinds.push_back(ways[static_cast<std::size_t>(way)][random() % 2]);
    std::shuffle(kinds.begin(), kinds.end(), random);
    const auto is_server = [](const Kind& kind) { return kind.is_server; };
    const auto is_worker = [](const Kind& kind) { return kind.is_worker; };
    if (std::none_of(kinds.begin(), kinds.end(), is_server) ||
        std::none_of(kinds.begin(), kinds.end(), is_worker))
      continue;
    RunAssignment(kinds, "array");
    ++num_run;
    ASSERT_FALSE(testing::Test::HasFailure());
  }
  EXPECT_EQ(num_run, 25);
  std::printf("tbl-case-05 ok\n");
}

// --- machine lists ---

Process::Environment OnHost(const std::string& host) { return {{"DMLC_NODE_HOST", host}}; }

TEST(ProcessMultiverso, AMachineFileNamesTheProcesses) {
  const Watchdog watchdog(std::chrono::minutes(1));
  const std::string folder = NewFolder("machines");
  const std::string file = folder + "/machines";
  std::ofstream(file) << "127.0.0.1\n127.0.0.2\n";
  const std::string program = ProgramPath("process/multiverso_worker");
  const Arguments arguments = {
      program, "shape", "2", "2", "2", "-machine_file=" + file, "-port=" + std::to_string(FreePort())};
  Process second(arguments, OnHost("127.0.0.2"));
  Process first(arguments, OnHost("127.0.0.1"));
  for (Process* const process : {&first, &second}) {
    ASSERT_TRUE(process->EndsWithin(seconds(30)));
    EXPECT_EQ(process->exit_code(), 0) << process->output();
  }
  EXPECT_NE(first.output().find("rank 0 worker 0 server 0"), std::string::npos) << first.output();
  EXPECT_NE(second.output().find("rank 1 worker 1 server 1"), std::string::npos) << second.output();
  std::remove(file.c_str());
  std::remove(folder.c_str());
}

TEST(ProcessMultiverso, CallsNameTheProcesses) {
  const Watchdog watchdog(std::chrono::minutes(1));
  const std::string root = "127.0.0.1:" + std::to_string(FreePort());
  const std::string program = ProgramPath("process/multiverso_worker");
  Process second({program, "net", "1", root, "127.0.0.1:1", "--", "array"}, {});
  Process first({program, "net", "0", root, "127.0.0.1:1", "--", "array"}, {});
  for (Process* const process : {&first, &second}) {
    ASSERT_TRUE(process->EndsWithin(seconds(30)));
    EXPECT_EQ(process->exit_code(), 0) << process->output();
    EXPECT_NE(process->output().find("array ok"), std::string::npos) << process->output();
  }
}

TEST(ProcessMultiverso, AProcessByItselfNeedsNothing) {
  const Watchdog watchdog(std::chrono::minutes(1));
  for (const char* const name : {"array", "matrix", "sparse"}) {
    Process process({ProgramPath("process/multiverso_worker"), name}, {});
    ASSERT_TRUE(process.EndsWithin(seconds(30)));
    EXPECT_EQ(process.exit_code(), 0) << process.output();
  }
}

// --- errors ---

TEST(ProcessMultiverso, WhatIsWrongIsNamed) {
  const Watchdog watchdog(std::chrono::minutes(1));
  const std::pair<Arguments, std::string> rows[] = {
      {{"array", "-updater_type=adam"}, "there are default, sgd, momentum_sgd, adagrad, dcasgd, dcasgda"},
      {{"array", "-ps_role=both"}, "there are default, worker, server and none"},
      {{"array", "-sync=maybe"}, "true or false"},
      {{"array", "-machine_file=nowhere/machines"}, "nowhere/machines can not be read"},
      {{"array", "-ps_role=worker"}, "by itself"}};
  for (const auto& [arguments, text] : rows) {
    Arguments command = {ProgramPath("process/multiverso_worker")};
    command.insert(command.end(), arguments.begin(), arguments.end());
    Process process(command, {});
    ASSERT_TRUE(process.EndsWithin(seconds(20)));
    EXPECT_EQ(process.exit_code(), 1);
    EXPECT_NE(process.output().find(text), std::string::npos) << process.output();
  }
}

TEST(ProcessMultiverso, AServerThatIsAnotherProgramIsAnErrorInTime) {
  const Watchdog watchdog(std::chrono::minutes(1));
  Job job(1, 1);
  job.variables["PS_START_TIMEOUT"] = "5";
  job.program = ProgramPath("bin/ps_node");
  job.Start("scheduler", {});
  job.Start("server", {});
  job.program = ProgramPath("process/multiverso_worker");
  Process* const worker = job.Start("worker", {"array"});
  ASSERT_TRUE(worker->EndsWithin(seconds(30)));
  EXPECT_EQ(worker->exit_code(), 1);
  EXPECT_NE(worker->output().find("all servers and workers of the job have to be this program"),
            std::string::npos)
      << worker->output();
}

TEST(ProcessMultiverso, OneThatEndsWithoutMvShutDownIsNamedToTheOthers) {
  const Watchdog watchdog(std::chrono::minutes(1));
  Job job(2, 2);
  job.program = ProgramPath("process/multiverso_worker");
  job.Start("scheduler", {"array"});
  Process* const stays = job.Start("joint", {"array"}, {{"DMLC_RANK", "0"}});
  Process* const goes = job.Start("joint", {"no_shut_down"}, {{"DMLC_RANK", "1"}});
  ASSERT_TRUE(goes->EndsWithin(seconds(30)));
  EXPECT_EQ(goes->exit_code(), 3);
  ASSERT_TRUE(stays->EndsWithin(seconds(30)));
  EXPECT_EQ(stays->exit_code(), 1);
  const std::string said = stays->output();
  EXPECT_TRUE(said.find("worker 1") != std::string::npos || said.find("server 1") != std::string::npos)
      << said;
}

}  // namespace
}  // namespace ps

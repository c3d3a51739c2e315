// The acceptance vectors of the store with a process per node: ps_node serves, store_worker runs them.
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "tests/support/job.h"
#include "tests/support/vector_program.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

class ProcessVectors : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Files, ProcessVectors,
                         testing::Values("consistency.json", "rounds.json", "updaters.json",
                                         "compression.json"));

TEST_P(ProcessVectors, GiveWhatTheyMust) {
  for (const nlohmann::json& vector : VectorProgram::Read(GetParam())) {
    SCOPED_TRACE(vector.at("id").get<std::string>());
    const int servers = vector.at("servers");
    const int workers = vector.at("workers");
    Job job(servers, workers);
    job.program = ProgramPath("bin/ps_node");
    job.Start("scheduler", {});
    for (int i = 0; i < servers; ++i) job.Start("server", {});
    job.program = ProgramPath("process/store_worker");
    for (int i = 0; i < workers; ++i) job.Start("worker", {GetParam(), vector.at("id")});
    ASSERT_TRUE(job.AllSucceedWithin(std::chrono::seconds(60)));
  }
}

}  // namespace
}  // namespace ps

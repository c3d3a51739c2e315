// A user's own pair of tables over processes.
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <string>

#include "tests/support/job.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

TEST(ProcessUserTables, ValuesAreRightStoredAndLoadedOnTwoServers) {
  const Watchdog watchdog(std::chrono::minutes(2));
  const std::string folder = NewFolder("process_user_tables");
  for (const std::string what : {"save", "load"}) {
    Job job(2, 2);
    job.program = ProgramPath("process/user_table_node");
    job.StartAll({what, folder});
    ASSERT_TRUE(job.AllSucceedWithin(std::chrono::seconds(40))) << what;
  }
  std::filesystem::remove_all(folder);
}

TEST(ProcessUserTables, AServerThatMakesNoSuchTableIsNamed) {
  const Watchdog watchdog(std::chrono::minutes(2));
  const std::string folder = NewFolder("process_user_tables");
  Job job(1, 1);
  job.variables["PS_REQUEST_TIMEOUT"] = "1";
  job.program = ProgramPath("bin/ps_node");
  job.Start("scheduler", {});
  job.Start("server", {});
  job.program = ProgramPath("process/user_table_node");
  Process* const worker = job.Start("worker", {"save", folder});
  ASSERT_TRUE(worker->EndsWithin(std::chrono::seconds(40)));
  EXPECT_EQ(worker->exit_code(), 1);
  EXPECT_NE(worker->output().find("no program has registered it at server 0 within 1000 ms"),
            std::string::npos)
      << worker->output();
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace ps

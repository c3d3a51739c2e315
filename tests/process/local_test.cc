// DMLC_LOCAL=1: jobs of one machine that need no network (B-10d).
#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "tests/support/job.h"

namespace ps {
namespace {

using std::chrono::seconds;

std::set<std::string> EntriesOf(const std::string& folder) {
  std::set<std::string> entries;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) entries.insert(entry.path());
  return entries;
}

// Everything in the places where a socket of ours could lie.
std::set<std::string> Files() {
  std::set<std::string> files = EntriesOf(testing::TempDir());
  for (const char* name : {"TMPDIR", "XDG_RUNTIME_DIR"}) {
    const char* folder = std::getenv(name);
    if (folder != nullptr) files.merge(EntriesOf(folder));
  }
  return files;
}

TEST(RegressB10d, ALocalJobNeedsNoNetworkAndLeavesNothingBehind) {
  const std::set<std::string> before = Files();
  Job job(2, 2);
  job.variables["DMLC_LOCAL"] = "1";
  job.StartAll({"kv"});
  EXPECT_TRUE(job.AllSucceedWithin(seconds(20)));
  for (const std::string& file : Files()) EXPECT_EQ(before.count(file), 1u) << file << " was left behind";
}

TEST(RegressB10d, ALocalJobListensOnNoPort) {
  Job job(1, 1);
  job.variables["DMLC_LOCAL"] = "1";
  job.StartAll({"hold"});
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(job.node(i).Prints("started")) << job.node(i).output();
  for (int i = 0; i < 3; ++i) {
    for (const auto& entry : EntriesOf("/proc/" + std::to_string(job.node(i).pid()) + "/fd")) {
      std::error_code error;
      const std::string target = std::filesystem::read_symlink(entry, error).string();
      if (target.rfind("socket:[", 0) != 0) continue;
      const std::string inode = target.substr(8, target.size() - 9);
      std::ifstream tcp("/proc/net/tcp");
      for (std::string line; std::getline(tcp, line);)
        EXPECT_EQ(line.find(" " + inode + " "), std::string::npos) << line;
    }
  }
  job.node(2).Signal(SIGUSR1);
  EXPECT_TRUE(job.AllSucceedWithin(seconds(20)));
}

TEST(RegressB10d, ALiveOneIsNeverTakenOver) {
  Job job(1, 1);
  job.variables["DMLC_LOCAL"] = "1";
  job.StartAll({"hold"});
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(job.node(i).Prints("started")) << job.node(i).output();
  Process* const second = job.Start("scheduler", {"hold"});
  ASSERT_TRUE(second->EndsWithin(seconds(2))) << second->output();
  EXPECT_EQ(second->exit_code(), 1);
  EXPECT_NE(second->output().find("in use"), std::string::npos) << second->output();
  job.node(2).Signal(SIGUSR1);
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(job.node(i).EndsWithin(seconds(20))) << job.node(i).output();
    EXPECT_EQ(job.node(i).exit_code(), 0) << job.node(i).output();
  }
}

// A scheduler that was killed leaves nothing that keeps the next one out.
TEST(RegressB10d, ADeadOneIsReplaced) {
  Job job(1, 1);
  job.variables["DMLC_LOCAL"] = "1";
  job.variables["PS_VERBOSE"] = "1";
  Process* const first = job.Start("scheduler", {"kv"});
  ASSERT_TRUE(first->Prints("Bind to")) << first->output();
  first->Signal(SIGKILL);
  ASSERT_TRUE(first->EndsWithin(seconds(5)));
  job.Clear();
  job.StartAll({"kv"});
  EXPECT_TRUE(job.AllSucceedWithin(seconds(20)));
}

}  // namespace
}  // namespace ps

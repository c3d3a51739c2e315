// Nodes that are killed while they and their peers use shared memory.
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

#include "tests/support/job.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// Pieces of rings that the process has mapped.
int NumMapped(const Process& node) {
  std::ifstream maps("/proc/" + std::to_string(node.pid()) + "/maps");
  int number = 0;
  for (std::string line; std::getline(maps, line);) number += line.find("caravan-ring") != std::string::npos;
  return number;
}

struct Open {
  int all = 0;
  int rings = 0;  // of memory that is mapped nobody needs a descriptor
};
Open OpenFilesOf(const Process& node) {
  Open open;
  std::error_code gone;  // a file that was closed meanwhile
  for (const auto& entry :
       std::filesystem::directory_iterator("/proc/" + std::to_string(node.pid()) + "/fd", gone)) {
    ++open.all;
    const std::string target = std::filesystem::read_symlink(entry.path(), gone).string();
    open.rings += target.find("caravan-ring") != std::string::npos;
  }
  return open;
}

// 1 scheduler, 1 server that keeps what it has in a file, 1 worker that pushes all the time.
class ShmKillTest : public testing::Test {
 protected:
  ShmKillTest() : job_(1, 1), folder_(NewFolder("shm_kill")) {
    job_.program = ProgramPath("process/trainer");
    job_.variables["DMLC_PS_VAN_TYPE"] = "auto";
    job_.variables["PS_ON_NODE_LOST"] = "wait";
    job_.variables["PS_HEARTBEAT_INTERVAL"] = "0.1";
    job_.variables["PS_HEARTBEAT_TIMEOUT"] = std::to_string(1.0 * TestTimeScale());
    job_.variables["PS_RESEND_TIMEOUT"] = "200";
    scheduler_ = Start("scheduler");
    server_ = Start("server");
    worker_ = Start("worker");
  }
  ~ShmKillTest() override { std::filesystem::remove_all(folder_); }

  Process* Start(const std::string& role) {
    return job_.Start(role, {"stream", "until", folder_ + "/stop", folder_ + "/sums_"},
                      {{"DMLC_RANK", role == "scheduler" ? "" : "0"}});
  }
  // Waits until the node has this many pieces mapped; what it has at last.
  static int MappedIn(Process* node, int expected) {
    int mapped = NumMapped(*node);
    for (int i = 0; i < 2000 && mapped != expected && node->StillRunsAfter(milliseconds(10)); ++i)
      mapped = NumMapped(*node);
    return mapped;
  }
  // Kills `*victim`, starts its successor, and waits until it works with `survivor`.
  void Replace(Process** victim, const std::string& role, Process* survivor) {
    (*victim)->Signal(SIGKILL);
    ASSERT_TRUE((*victim)->EndsWithin(seconds(10)));
    *victim = Start(role);
    ASSERT_TRUE((*victim)->Prints("recovered as rank 0")) << (*victim)->output();
    ASSERT_EQ(MappedIn(*victim, pieces_), pieces_) << (*victim)->output();
    ASSERT_EQ(MappedIn(survivor, pieces_), pieces_) << survivor->output();
    EXPECT_EQ(OpenFilesOf(*survivor).rings, 0);
  }

  Watchdog watchdog_{LongForms() ? seconds(900) : seconds(110)};
  Job job_;
  const std::string folder_;
  Process* scheduler_ = nullptr;
  Process* server_ = nullptr;
  Process* worker_ = nullptr;
  int pieces_ = 0;  // what a node has mapped for one peer: a ring to it, and one from it
};

TEST_F(ShmKillTest, KilledPeersLeaveNothingBehindAndTheOthersGoOn) {
  const int kills = LongForms() ? 200 : 10;
  ASSERT_TRUE(worker_->Prints("under way")) << worker_->output();
  pieces_ = NumMapped(*worker_);
  ASSERT_GE(pieces_, 4) << "shared memory is not in use: " << worker_->output();
  ASSERT_EQ(MappedIn(server_, pieces_), pieces_);
  EXPECT_EQ(NumMapped(*scheduler_), 0);
  const int worker_files = OpenFilesOf(*worker_).all;
  // The server first, as long as the worker lives that was there from the beginning.
  for (int i = 0; i < kills / 2; ++i) ASSERT_NO_FATAL_FAILURE(Replace(&server_, "server", worker_)) << i;
  EXPECT_LE(OpenFilesOf(*worker_).all, worker_files + 4) << "after " << kills / 2 << " kills";
  const int server_files = OpenFilesOf(*server_).all;
  for (int i = 0; i < kills - kills / 2; ++i)
    ASSERT_NO_FATAL_FAILURE(Replace(&worker_, "worker", server_)) << i;
  EXPECT_LE(OpenFilesOf(*server_).all, server_files + 4) << "after " << kills - kills / 2 << " kills";
  ASSERT_TRUE(worker_->Prints("under way")) << worker_->output();
  std::ofstream(folder_ + "/stop") << "stop";
  for (Process* node : {scheduler_, server_, worker_}) {
    ASSERT_TRUE(node->EndsWithin(seconds(20))) << node->output();
    EXPECT_EQ(node->exit_code(), 0) << node->output();
  }
  EXPECT_NE(worker_->output().find("failed 0; "), std::string::npos) << worker_->output();
  std::printf("FIGURE SHM %d nodes killed amid shared memory: the others went on, nothing was left\n", kills);
}

// It has the worker's memory for as long as it stands still, and nobody waits for that.
TEST(StoppedReaderTest, RequestsFailAlthoughAServerThatStandsStillHasTheirMemory) {
  const Watchdog watchdog(seconds(110));
  Job job(1, 1);
  job.program = ProgramPath("process/node");
  job.variables["DMLC_PS_VAN_TYPE"] = "shm";
  job.variables["PS_HEARTBEAT_INTERVAL"] = "0.1";
  job.variables["PS_HEARTBEAT_TIMEOUT"] = std::to_string(1.0 * TestTimeScale());
  job.Start("scheduler", {"stop_amid_a_loan"});
  Process* const server = job.Start("server", {"stop_amid_a_loan"});
  Process* const worker = job.Start("worker", {"stop_amid_a_loan"});
  ASSERT_TRUE(worker->Prints("after ")) << worker->output();
  EXPECT_NE(worker->output().find("server 0 (id 8"), std::string::npos) << worker->output();
  EXPECT_NE(worker->output().find("is lost: silent"), std::string::npos) << worker->output();
  server->Signal(SIGKILL);
}

}  // namespace
}  // namespace ps

// A server of the store is killed and comes back with its last checkpoint (R2s, `wait`), or does not
// (`fail`).
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "tests/support/job.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

using std::chrono::seconds;

constexpr int kSecondServer = 2;

// 1 scheduler, 2 servers, 2 workers, which train until all is over.
class StoreRecoverTest : public testing::Test {
 protected:
  StoreRecoverTest() : job_(2, 2), folder_(NewFolder("store_recover")), enough_(folder_ + "/enough") {
    job_.variables["PS_HEARTBEAT_INTERVAL"] = "0.1";
    job_.variables["PS_HEARTBEAT_TIMEOUT"] = std::to_string(3 * TestTimeScale());
    job_.variables["PS_CHECKPOINT_DIR"] = folder_ + "/checkpoints";
    job_.variables["PS_CHECKPOINT_INTERVAL"] = "0.05";
  }
  ~StoreRecoverTest() override { std::filesystem::remove_all(folder_); }

  void StartAll(const std::string& policy) {
    job_.variables["PS_ON_NODE_LOST"] = policy;
    StartServing("scheduler", "");
    for (const std::string rank : {"0", "1"}) StartServing("server", rank);
    job_.program = ProgramPath("process/store_trainer");
    for (const std::string rank : {"0", "1"}) job_.Start("worker", {enough_}, {{"DMLC_RANK", rank}});
    for (int worker : {3, 4})
      ASSERT_TRUE(job_.node(worker).Prints("under way")) << job_.node(worker).output();
  }
  Process* StartServing(const std::string& role, const std::string& rank) {
    job_.program = ProgramPath("bin/ps_node");
    return job_.Start(role, {}, {{"DMLC_RANK", rank}});
  }
  void AwaitCheckpoint() {
    const auto limit =
        std::chrono::steady_clock::now() +
        std::chrono::duration_cast<std::chrono::steady_clock::duration>(seconds(20) * TestTimeScale());
    while (!std::filesystem::exists(folder_ + "/checkpoints/2/MANIFEST")) {
      ASSERT_LT(std::chrono::steady_clock::now(), limit) << "no checkpoint was written";
      std::this_thread::yield();
    }
  }

  Job job_;
  const std::string folder_;
  const std::string enough_;
};

TEST_F(StoreRecoverTest, AServerThatComesBackHasItsLastCheckpointAndTheJobGoesOn) {
  StartAll("wait");
  AwaitCheckpoint();
  job_.node(kSecondServer).Signal(SIGKILL);
  Process* const successor = StartServing("server", "1");
  EXPECT_TRUE(successor->Prints("restored its tables from checkpoint")) << successor->output();
  std::ofstream(enough_).put('\n');
  int rounds = 0;
  double last[2] = {0, 0};
  for (int i = 0; i < 2; ++i) {
    Process& worker = job_.node(3 + i);
    ASSERT_TRUE(worker.EndsWithin(seconds(30))) << worker.output();
    ASSERT_EQ(worker.exit_code(), 0) << worker.output();
    const std::string output = worker.output();
    int mine = 0;
    double first = 0;
    const std::size_t line = output.find("rounds ");
    ASSERT_NE(line, std::string::npos) << output;
    ASSERT_EQ(std::sscanf(output.c_str() + line, "rounds %d first %lf last %lf", &mine, &first, &last[i]), 3);
    rounds += mine;
    if (i == 0) continue;
    EXPECT_EQ(first, rounds) << "the other server lost something";
  }
  EXPECT_EQ(last[0], last[1]);
  EXPECT_LE(last[0], rounds);
  EXPECT_GT(last[0], 0);
  EXPECT_TRUE(successor->EndsWithin(seconds(30)));
  EXPECT_EQ(successor->exit_code(), 0) << successor->output();
}

TEST_F(StoreRecoverTest, OneThatDoesNotComeBackIsNamedByWhoNeedsIt) {
  StartAll("fail");
  job_.node(kSecondServer).Signal(SIGKILL);
  for (int worker : {3, 4}) {
    ASSERT_TRUE(job_.node(worker).EndsWithin(seconds(30))) << job_.node(worker).output();
    EXPECT_NE(job_.node(worker).exit_code(), 0);
    EXPECT_NE(job_.node(worker).output().find("server 1"), std::string::npos) << job_.node(worker).output();
  }
}

}  // namespace
}  // namespace ps

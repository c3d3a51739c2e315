// Jobs that train with KVStore, whose workers end early, are killed, or never find a server: kv-case-01, 03,
// 07 and 23.
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/support/job.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

using std::chrono::seconds;

bool Contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// 1 scheduler, 1 server, 3 workers.
class KVScenarios : public testing::Test {
 protected:
  static constexpr int kServer = 1;
  static constexpr int kFirstWorker = 2;
  static constexpr int kThirdWorker = 4;

  KVScenarios() : job_(1, 3) {
    job_.program = ProgramPath("process/kv_trainer");
    job_.variables["PS_HEARTBEAT_INTERVAL"] = "0.1";
    job_.variables["PS_HEARTBEAT_TIMEOUT"] = std::to_string(3 * TestTimeScale());
  }
  void Start(const std::vector<std::string>& arguments) {
    job_.Start("scheduler", arguments);
    job_.Start("server", arguments);
    for (const char* rank : {"0", "1", "2"}) job_.Start("worker", arguments, {{"DMLC_RANK", rank}});
  }
  // All workers have done some rounds.
  void AwaitRounds() {
    for (int i = kFirstWorker; i <= kThirdWorker; ++i)
      ASSERT_TRUE(job_.node(i).Prints("under way")) << job_.node(i).output();
  }
  // The two survivors name the third, in time.
  void ExpectThirdIsNamed() {
    for (int i = kFirstWorker; i < kThirdWorker; ++i) {
      ASSERT_TRUE(job_.node(i).EndsWithin(seconds(20))) << job_.node(i).output();
      EXPECT_EQ(job_.node(i).exit_code(), 3) << job_.node(i).output();
      EXPECT_TRUE(Contains(job_.node(i).output(), "Unavailable")) << job_.node(i).output();
      EXPECT_TRUE(Contains(job_.node(i).output(), "worker 2")) << job_.node(i).output();
    }
  }
  // The first nine rounds had all three, the tenth the two that are left.
  void ExpectTenRounds() {
    EXPECT_TRUE(job_.AllSucceedWithin(seconds(30)));
    for (int i = kFirstWorker; i < kThirdWorker; ++i) {
      EXPECT_TRUE(Contains(job_.node(i).output(), "round 1: 3\n")) << job_.node(i).output();
      EXPECT_TRUE(Contains(job_.node(i).output(), "round 9: 3\n")) << job_.node(i).output();
      EXPECT_TRUE(Contains(job_.node(i).output(), "round 10: 2\n")) << job_.node(i).output();
    }
  }

  Watchdog watchdog_{seconds(60)};
  Job job_;
};

TEST_F(KVScenarios, KvCase01WhoHasFewerBatchesLeaves) {
  Start({"rounds", "10", "9", "leave"});
  ExpectTenRounds();
}

TEST_F(KVScenarios, KvCase01WhoseStoreEndsHasLeft) {
  Start({"rounds", "10", "9", "exit"});
  ExpectTenRounds();
}

TEST_F(KVScenarios, KvCase01WhoJustGoesIsNamed) {
  Start({"rounds", "10", "9", "quit"});
  ExpectThirdIsNamed();
}

TEST_F(KVScenarios, KvCase03AKilledWorkerIsNamed) {
  Start({"endless"});
  AwaitRounds();
  job_.node(kThirdWorker).Signal(SIGKILL);
  ExpectThirdIsNamed();
}

TEST_F(KVScenarios, KvCase03RoundsGoOnWithoutAKilledWorkerWhereTheJobShrinks) {
  job_.variables["PS_ON_NODE_LOST"] = "shrink";
  Start({"until", "2", "5"});
  AwaitRounds();
  job_.node(kThirdWorker).Signal(SIGKILL);
  for (int i = kFirstWorker; i < kThirdWorker; ++i) {
    ASSERT_TRUE(job_.node(i).EndsWithin(seconds(20))) << job_.node(i).output();
    EXPECT_EQ(job_.node(i).exit_code(), 0) << job_.node(i).output();
    EXPECT_TRUE(Contains(job_.node(i).output(), "workers 2\n")) << job_.node(i).output();
  }
  for (int i : {0, 1}) {
    EXPECT_TRUE(job_.node(i).EndsWithin(seconds(20))) << job_.node(i).output();
    EXPECT_EQ(job_.node(i).exit_code(), 0) << job_.node(i).output();
  }
}

TEST_F(KVScenarios, AServerThatIsKilledAmidRoundsIsNamed) {
  Start({"endless"});
  AwaitRounds();
  job_.node(kServer).Signal(SIGKILL);
  for (int i = kFirstWorker; i <= kThirdWorker; ++i) {
    ASSERT_TRUE(job_.node(i).EndsWithin(seconds(20))) << job_.node(i).output();
    EXPECT_EQ(job_.node(i).exit_code(), 3) << job_.node(i).output();
    EXPECT_TRUE(Contains(job_.node(i).output(), "server 0")) << job_.node(i).output();
  }
}

TEST(KVStart, KvCase07WithoutAServerWorkersGiveUpAndSayForWhomTheyWaited) {
  const Watchdog watchdog(seconds(40));
  Job job(1, 2);
  job.program = ProgramPath("process/kv_trainer");
  job.variables["PS_START_TIMEOUT"] = "1";
  job.Start("scheduler", {"endless"});
  for (int i = 0; i < 2; ++i) job.Start("worker", {"endless"});
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(job.node(i).EndsWithin(seconds(10))) << job.node(i).output();
    EXPECT_EQ(job.node(i).exit_code(), 1) << job.node(i).output();
    EXPECT_TRUE(Contains(job.node(i).output(), "servers 0/1")) << job.node(i).output();
    EXPECT_TRUE(Contains(job.node(i).output(), "PS_START_TIMEOUT")) << job.node(i).output();
  }
}

// Processes that have the word in their command.
std::vector<std::string> Alive(const std::string& word) {
  std::vector<std::string> found;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
    std::ifstream file(entry.path() / "cmdline");
    const std::string command((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    if (Contains(command, word)) found.push_back(command.c_str());
  }
  return found;
}

TEST(KVLauncher, KvCase23CtrlCLeavesNothingOfABusyJob) {
  const Watchdog watchdog(seconds(90));
  const char* const root = std::getenv("PS_ROOT");
  const std::string word = "ctrl_c_of_" + std::to_string(getpid());
  Process launcher({std::string(root == nullptr ? "." : root) + "/tracker/local.sh", "2", "2",
                    ProgramPath("process/kv_trainer"), "endless", word},
                   {});
  for (const char* name : {"[W0] under way", "[W1] under way"})
    ASSERT_TRUE(launcher.Prints(name)) << launcher.output();
  EXPECT_GE(Alive(word).size(), 5U);
  launcher.Signal(SIGINT);
  ASSERT_TRUE(launcher.EndsWithin(seconds(20)))  // 2 s where the machine is idle
      << launcher.output();
  EXPECT_EQ(launcher.exit_code(), 130) << launcher.output();
  EXPECT_EQ(Alive(word), std::vector<std::string>());
}

}  // namespace
}  // namespace ps

// Nodes that are killed and come back under PS_ON_NODE_LOST=wait (case-13, R2s).
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "tests/support/job.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

using std::chrono::seconds;

constexpr int kFirstServer = 1;
constexpr int kSecondWorker = 4;
constexpr int kPushesUnderWay = 4;  // of a worker to a server, at most

// 1 scheduler, 2 servers, 2 workers, which push to both servers until all is over. Servers keep what they
// have in files.
class RecoverTest : public testing::Test {
 protected:
  RecoverTest() : job_(2, 2), folder_(NewFolder("recover")), enough_(folder_ + "/enough") {
    job_.program = ProgramPath("process/trainer");
    job_.variables["PS_ON_NODE_LOST"] = "wait";
    job_.variables["PS_HEARTBEAT_INTERVAL"] = "0.1";
    job_.variables["PS_HEARTBEAT_TIMEOUT"] = std::to_string(3 * TestTimeScale());
    job_.variables["PS_RESEND_TIMEOUT"] = "200";
    const std::string roles[] = {"scheduler", "server", "server", "worker", "worker"};
    for (int i = 0; i < 5; ++i) Start(roles[i], i == 0 ? "" : std::to_string((i - 1) % 2));
  }
  ~RecoverTest() override { std::filesystem::remove_all(folder_); }

  Process* Start(const std::string& role, const std::string& rank) {
    return job_.Start(role, {"stream", "until", enough_, folder_ + "/sums_"}, {{"DMLC_RANK", rank}});
  }

  // Kills a node and starts its successor, twice: once after the loss was announced, once at once. The last
  // one.
  Process* KillTwice(int index, const std::string& role, const std::string& rank, const std::string& name) {
    for (int i : {3, 4}) EXPECT_TRUE(job_.node(i).Prints("under way")) << job_.node(i).output();
    Process* node = &job_.node(index);
    node->Signal(SIGKILL);
    EXPECT_TRUE(job_.node(0).Prints(name)) << job_.node(0).output();
    node = Start(role, rank);
    const std::string recovered = "recovered as rank " + rank;
    EXPECT_TRUE(node->Prints(recovered)) << node->output();
    node->Signal(SIGKILL);
    node = Start(role, rank);
    EXPECT_TRUE(node->Prints(recovered)) << node->output();
    std::ofstream(enough_).put('\n');
    return node;
  }

  void ExpectSucceeds(Process& node) {
    ASSERT_TRUE(node.EndsWithin(seconds(30))) << node.output();
    EXPECT_EQ(node.exit_code(), 0) << node.output();
  }

  Job job_;
  const std::string folder_;
  const std::string enough_;  // the workers end when there is this file
};

std::string LineWith(Process& process, const std::string& text) {
  for (const std::string& line : process.lines()) {
    if (line.rfind(text, 0) == 0) return line;
  }
  return "";
}

TEST_F(RecoverTest, Case13AWorkerComesBackTwice) {
  Process* const last = KillTwice(kSecondWorker, "worker", "1", "worker 1 (id 11, ");
  for (int i = 0; i < kSecondWorker; ++i) ExpectSucceeds(job_.node(i));
  ExpectSucceeds(*last);
  for (Process* worker : {&job_.node(3), last}) {
    for (const std::string server : {"server 0: ", "server 1: "}) {
      EXPECT_NE(LineWith(*worker, server).find("failed 0; exact"), std::string::npos) << worker->output();
    }
  }
}

// What was under way when the server died may have been applied before it could say so, and is sent again to
// its successor: at most that much is there twice.
TEST_F(RecoverTest, R2sAServerComesBackTwiceWithWhatItKept) {
  Process* const last = KillTwice(kFirstServer, "server", "0", "server 0 (id 8, ");
  for (int i : {0, 2, 3, 4}) ExpectSucceeds(job_.node(i));
  ExpectSucceeds(*last);
  double pushed = 0;
  for (int i : {3, 4}) {
    Process& worker = job_.node(i);
    EXPECT_NE(LineWith(worker, "server 1: ").find("failed 0; exact"), std::string::npos) << worker.output();
    const std::string line = LineWith(worker, "server 0: ");
    ASSERT_NE(line.find("failed 0; "), std::string::npos) << worker.output();
    const double acknowledged = std::atof(line.c_str() + line.find("acknowledged ") + 13);
    const size_t has = line.find("; has ");
    const double there = has == std::string::npos ? acknowledged : std::atof(line.c_str() + has + 6);
    EXPECT_GE(there, acknowledged) << line;
    EXPECT_LE(there, acknowledged + 2 * kPushesUnderWay) << line;
    pushed += acknowledged;
  }
  std::printf(
      "FIGURE R2s a server killed twice came back with what it kept: %.0f pushes acknowledged by it, none "
      "lost\n",
      pushed);
}

}  // namespace
}  // namespace ps

// A training job under PS_ON_NODE_LOST=wait of which one node is killed at a point of the protocol, and
// started again.
#ifndef PS_TESTS_PROCESS_REVIVE_JOB_H_
#define PS_TESTS_PROCESS_REVIVE_JOB_H_

#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "ps/base.h"
#include "tests/process/kill_job.h"
#include "tests/process/kill_rows.h"
#include "tests/support/figure.h"
#include "tests/support/job.h"
#include "tests/support/watchdog.h"

namespace ps {

// 1 scheduler, 2 servers, which keep what they apply in files, and 2 workers. Small chunks and little room,
// so that every point is passed.
class ReviveTest : public testing::TestWithParam<KillRow> {
 protected:
  using Milliseconds = std::chrono::milliseconds;
  static constexpr int kRounds = 5;
  static constexpr int kPushesPerRound = 3;  // of a worker to a server: so many are under way at most

  static void SetUpTestSuite() {
    slowest_ = Milliseconds(0);
    num_jobs_ = 0;
    num_again_ = 0;
  }
  // The figure of the whole table.
  static void Report(const std::string& id, const std::string& role) {
    PS_FIGURE(id, role << " killed and started again in " << num_jobs_ << " jobs: each ended within "
                       << slowest_.count() << " ms of the death, no acknowledged push was lost, "
                       << num_again_ << " that were under way arrived again");
  }

  // Kills the first node of `role` at the point and starts it again: at once, or when the others have been
  // told of its death; in the long form first this, then that.
  void Run(const std::string& role) {
    role_ = role;
    const bool is_member = GetParam().death == Death::kNoticed;
    const bool at_once = !is_member || GetParam().point.size() % 2 != 0;
    if (LongForms() || at_once) Revive(false);
    if (HasFailure() || !is_member) return;
    if (LongForms() || !at_once) Revive(true);
  }

 private:
  static constexpr int kNodes = 5;

  int victim() const { return role_ == "server" ? 1 : 3; }
  std::string victim_name() const { return role_ == "server" ? "server 0 (id 8," : "worker 0 (id 9,"; }
  static std::string RoleOf(int node) { return node == 0 ? "scheduler" : node < 3 ? "server" : "worker"; }
  static std::string Seconds(Milliseconds time) {
    return std::to_string(static_cast<double>(time.count()) / 1000 * TestTimeScale());
  }

  // Other programs use the same processors: where one of the living was silent for a heartbeat time-out, and
  // so was lost rightly, the job says nothing and is done again.
  void Revive(bool told) {
    SCOPED_TRACE(told ? "started again when its death was known" : "started again at once");
    bool is_starved = true;
    for (int attempt = 0; attempt < 3 && is_starved; ++attempt) is_starved = RunJob(told);
    for (const std::string& problem : problems_) ADD_FAILURE() << problem;
  }

  // Whether somebody else was lost.
  bool RunJob(bool told) {
    problems_.clear();
    bool is_starved = false;
    const std::string folder = NewFolder("revive");
    {
      Job job(2, 2);
      Start(&job, folder);
      Watch(&job, folder, told);
      for (const std::string& line : job.node(0).lines()) {
        const bool is_loss = line.find("is lost: silent for") != std::string::npos;
        is_starved = is_starved || (is_loss && line.find(victim_name()) == std::string::npos);
      }
    }
    if (problems_.empty()) CheckFiles(folder);
    std::filesystem::remove_all(folder);
    ++num_jobs_;
    return is_starved && !problems_.empty();
  }

  void Expect(bool is_so, const std::string& what, Process* node) {
    if (!is_so) problems_.push_back(what + ":\n" + node->output());
  }

  void Start(Job* job, const std::string& folder) const {
    job->program = ProgramPath("process/trainer");
    job->variables["PS_ON_NODE_LOST"] = "wait";
    job->variables["PS_HEARTBEAT_INTERVAL"] = "0.1";
    job->variables["PS_HEARTBEAT_TIMEOUT"] = Seconds(Milliseconds(1000));
    job->variables["PS_RESEND_TIMEOUT"] = "50";
    job->variables["PS_REQUEST_TIMEOUT"] = Seconds(Milliseconds(10000));
    job->variables["PS_BARRIER_TIMEOUT"] = Seconds(Milliseconds(10000));
    job->variables["PS_CHUNK_BYTES"] = "4096";
    job->variables["DMLC_PS_WATER_MARK"] = "1";
    for (int i = 0; i < kNodes; ++i) {
      (void)StartNode(job, folder, i, i == victim() ? GetParam().point : "", Milliseconds(10000));
    }
  }

  static Process* StartNode(Job* job, const std::string& folder, int node, const std::string& kill_at,
                            Milliseconds start_timeout) {
    Process::Environment extra = {{"PS_START_TIMEOUT", Seconds(start_timeout)}};
    if (node > 0) extra["DMLC_RANK"] = std::to_string((node - 1) % 2);
    if (!kill_at.empty()) extra["PS_TEST_KILL"] = kill_at;
    return job->Start(RoleOf(node), {"resume", std::to_string(kRounds), folder + "/applied_"}, extra);
  }

  void Watch(Job* job, const std::string& folder, bool told) {
    Process& dead = job->node(victim());
    const bool passed = dead.EndsWithin(std::chrono::seconds(20)) && dead.exit_code() == 128 + SIGKILL;
    if (!passed) return Expect(false, "the point was not passed", &dead);
    const auto died = std::chrono::steady_clock::now();
    const bool is_over = GetParam().death == Death::kHarmless;
    if (told) Expect(job->node(0).Prints(victim_name()), "the loss was not noticed", &job->node(0));
    Process* const successor = StartNode(job, folder, victim(), "", Milliseconds(is_over ? 500 : 10000));
    for (int i = 0; i < kNodes; ++i) {
      if (i != victim()) Judge(&job->node(i), i);
    }
    if (!is_over) Judge(successor, victim());
    slowest_ =
        std::max(slowest_, std::chrono::duration_cast<Milliseconds>(std::chrono::steady_clock::now() - died));
    if (is_over) JudgeLate(job, successor);
  }

  void Judge(Process* node, int index) {
    const std::string name = "node " + std::to_string(index);
    if (!node->EndsWithin(std::chrono::seconds(30))) return Expect(false, name + " still waits", node);
    Expect(node->exit_code() == 0, name + " ended with " + std::to_string(node->exit_code()), node);
    Expect(node->output().find("terminate") == std::string::npos, name + " ended by an exception", node);
    if (RoleOf(index) != "server") return;
    for (const std::string& line : node->lines()) {
      const size_t at = line.find(", again ");
      if (line.rfind("worker ", 0) != 0 || at == std::string::npos) continue;
      const int again = std::atoi(line.c_str() + at + 8);
      num_again_ += again;
      Expect(again <= (index == victim() ? kPushesPerRound : 0), name + " got pushes again", node);
    }
  }

  // It came when the job was over: there is none for it, and it says who has told it so.
  void JudgeLate(Job* job, Process* successor) {
    const bool ended = successor->EndsWithin(std::chrono::seconds(20)) && successor->exit_code() == 1;
    Expect(ended, "the successor does not give up", successor);
    const std::string output = successor->output();
    const std::string address = "127.0.0.1:" + std::to_string(job->port());
    const bool is_named =
        output.find("the scheduler") != std::string::npos && output.find(address) != std::string::npos;
    Expect(is_named, "the successor does not say whom it has waited for", successor);
  }

  // Each push of each worker once, in order.
  static void CheckFiles(const std::string& folder) {
    for (const std::string server : {"0", "1"}) {
      std::ifstream kept(folder + "/applied_" + server);
      std::map<Key, int> applied;
      Key key = 0;
      for (int number = 0; kept >> key >> number;) {
        EXPECT_EQ(number, applied[key] + 1) << "server " << server << ", key " << key;
        applied[key] = number;
      }
      EXPECT_EQ(applied.size(), 2u) << "server " << server;
      for (const auto& [of, last] : applied)
        EXPECT_EQ(last, kRounds * kPushesPerRound) << "server " << server << ", key " << of;
    }
  }

  static inline Milliseconds slowest_{0};
  static inline int num_jobs_ = 0;
  static inline int num_again_ = 0;
  std::string role_;
  std::vector<std::string> problems_;  // of the last job
};

}  // namespace ps

#endif  // PS_TESTS_PROCESS_REVIVE_JOB_H_

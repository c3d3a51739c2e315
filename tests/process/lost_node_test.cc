// Nodes that are killed, or stopped for a while, under a running job: R2s, R3, R14, case-11.
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <cmath>
#include <cstdio>

#include "tests/support/job.h"
#include "tests/support/memory.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr milliseconds kHeartbeatTimeout{500};

std::string Seconds(milliseconds time) {
  return std::to_string(static_cast<double>(time.count()) / 1000 * TestTimeScale());
}

// The number behind `name` in what a node printed; -1 when there is none.
double Number(Process& process, const std::string& name) {
  const std::string output = process.output();
  const size_t at = output.find(name);
  return at == std::string::npos ? std::nan("") : std::atof(output.c_str() + at + name.size());
}

// The line of `process` that begins with `text`.
std::string LineWith(Process& process, const std::string& text) {
  for (const std::string& line : process.lines()) {
    if (line.rfind(text, 0) == 0) return line;
  }
  return "";
}

bool Contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// 1 scheduler, 2 servers, 2 workers, which push to both servers all the time.
class StreamTest : public testing::Test {
 protected:
  static constexpr int kFirstServer = 1;
  static constexpr int kFirstWorker = 3;

  StreamTest() : job_(2, 2) {
    job_.program = ProgramPath("process/trainer");
    job_.variables["PS_HEARTBEAT_INTERVAL"] = "0.1";
    job_.variables["PS_HEARTBEAT_TIMEOUT"] = Seconds(kHeartbeatTimeout);
    job_.variables["PS_RESEND_TIMEOUT"] = "100";
  }

  void Start(const std::vector<std::string>& arguments) {
    if (LongForms()) job_.variables["PS_TEST_LONG"] = "1";  // children get what they are given
    const std::string roles[] = {"scheduler", "server", "server", "worker", "worker"};
    for (int i = 0; i < 5; ++i) {
      job_.Start(roles[i], arguments, {{"DMLC_RANK", i == 0 ? "" : std::to_string((i - 1) % 2)}});
    }
    for (int i = kFirstWorker; i < 5; ++i) {
      ASSERT_TRUE(job_.node(i).Prints("under way")) << job_.node(i).output();
    }
  }

  void ExpectEnds(int node, int exit_code) {
    ASSERT_TRUE(job_.node(node).EndsWithin(seconds(20))) << "node " << node << ":\n"
                                                         << job_.node(node).output();
    EXPECT_EQ(job_.node(node).exit_code(), exit_code) << "node " << node << ":\n" << job_.node(node).output();
    EXPECT_FALSE(Contains(job_.node(node).output(), "terminate")) << job_.node(node).output();
  }

  // Of a worker: the pushes to the first server failed by its name and kept failing at once, those to the
  // other one went on and are all there.
  void ExpectOneServerLost(Process& worker) {
    const std::string lost = LineWith(worker, "server 0: ");
    EXPECT_TRUE(Contains(lost, "Unavailable: server 0 (id 8, 127.0.0.1:")) << worker.output();
    EXPECT_TRUE(Contains(lost, "; pull: Unavailable: server 0 (id 8")) << worker.output();
    EXPECT_LT(Number(worker, "(later ones within "), 200 * TestTimeScale()) << worker.output();
    const std::string kept = LineWith(worker, "server 1: ");
    EXPECT_TRUE(Contains(kept, "failed 0; exact")) << worker.output();
  }

  Job job_;
};

TEST_F(StreamTest, R2sAKilledServerIsNamedAndTheOtherOneStaysUsable) {
  Start({"stream", "loss", "100"});
  job_.node(kFirstServer).Signal(SIGKILL);
  const auto killed = std::chrono::steady_clock::now();
  for (int i = kFirstWorker; i < 5; ++i)
    ASSERT_TRUE(job_.node(i).Prints("lost one")) << job_.node(i).output();
  const std::chrono::duration<double, std::milli> noticed = std::chrono::steady_clock::now() - killed;
  for (int i = kFirstWorker; i < 5; ++i) {
    ExpectEnds(i, 1);
    ExpectOneServerLost(job_.node(i));
  }
  ExpectEnds(0, 1);
  ExpectEnds(2, 1);
  std::printf(
      "FIGURE R2s requests to a killed server failed by its name after %.0f ms, later ones within %.1f ms "
      "(bound: %lld); the other server's sums were exact\n",
      noticed.count(), Number(job_.node(kFirstWorker), "(later ones within "),
      static_cast<long long>(2 * kHeartbeatTimeout.count()));
  EXPECT_LE(noticed.count(), 20 * static_cast<double>(kHeartbeatTimeout.count()) * TestTimeScale());
}

// 10^5 pushes nobody waits for: the caller is never held up for longer than the deadline, memory stays flat.
TEST_F(StreamTest, Case11AnUnawaitedFloodIsNotHeldUpByALostServer) {
  constexpr double kDeadlineMs = 2000;
  job_.variables["PS_REQUEST_TIMEOUT"] = "2";
  Start({"flood", "100000"});
  job_.node(kFirstServer).Signal(SIGKILL);
  for (int i = kFirstWorker; i < 5; ++i) {
    ExpectEnds(i, 1);
    Process& worker = job_.node(i);
    EXPECT_TRUE(Contains(LineWith(worker, "last: "), "Unavailable: server 0 (id 8")) << worker.output();
    EXPECT_GT(Number(worker, "failed="), 0) << worker.output();
    EXPECT_LE(Number(worker, "longest_ms="), kDeadlineMs * TestTimeScale()) << worker.output();
    EXPECT_TRUE(UnderSanitizer() || Number(worker, "grown_kb=") < 32 << 10) << worker.output();
  }
  ExpectEnds(0, 1);
  ExpectEnds(2, 1);
  Process& worker = job_.node(kFirstWorker);
  std::printf(
      "FIGURE case-11 10^5 unawaited pushes and a killed server: longest call %.0f ms, memory %+.0f kB, %.0f "
      "failed "
      "by its name\n",
      Number(worker, "longest_ms="), Number(worker, "grown_kb="), Number(worker, "failed="));
}

TEST_F(StreamTest, R3TrainingGoesOnWithoutTheScheduler) {
  const int length_s = LongForms() ? 60 : 5;
  Start({"stream", "seconds", std::to_string(length_s + 1)});
  job_.node(0).Signal(SIGKILL);
  alarm(static_cast<unsigned>(120 * TestTimeScale()));  // the limit of one test counts anew
  const std::string address = "the scheduler at 127.0.0.1:" + std::to_string(job_.port());
  Process* const late = job_.Start("worker", {"stream", "seconds", "1"}, {{"PS_START_TIMEOUT", "1"}});
  for (int i = kFirstWorker; i < 5; ++i) {
    Process& worker = job_.node(i);
    ASSERT_TRUE(worker.Prints("barrier: ", seconds(length_s + 20))) << worker.output();
    for (const std::string server : {"server 0: ", "server 1: "})
      EXPECT_TRUE(Contains(LineWith(worker, server), "failed 0; exact")) << worker.output();
    EXPECT_TRUE(Contains(LineWith(worker, "barrier: "), "Unavailable: " + address)) << worker.output();
  }
  for (int i = 1; i < 6; ++i) ExpectEnds(i, 1);
  EXPECT_TRUE(Contains(late->output(), address)) << late->output();
  std::printf(
      "FIGURE R3 without the scheduler %.0f and %.0f pushes in %d s, sums exact; barrier and Start name it\n",
      Number(job_.node(3), "acknowledged "), Number(job_.node(4), "acknowledged "), length_s);
}

TEST_F(StreamTest, R14AServerThatStoodStillIsFencedAndToldSo) {
  Start({"stream", "fence", "100"});
  job_.node(kFirstServer).Signal(SIGSTOP);
  for (int i = kFirstWorker; i < 5; ++i)
    ASSERT_TRUE(job_.node(i).Prints("lost one")) << job_.node(i).output();
  job_.node(kFirstServer).Signal(SIGCONT);
  double fenced = 0;
  for (int i = kFirstWorker; i < 5; ++i) {
    ExpectEnds(i, 1);
    ExpectOneServerLost(job_.node(i));
    fenced += Number(job_.node(i), "fenced=");
    EXPECT_GT(Number(job_.node(i), "fenced="), 0) << job_.node(i).output();
  }
  for (int i = 0; i < kFirstWorker; ++i) ExpectEnds(i, 1);
  EXPECT_TRUE(Contains(job_.node(kFirstServer).output(), "Unavailable: server 0 (id 8"))
      << job_.node(1).output();
  std::printf(
      "FIGURE R14 after a stop of more than the heartbeat time-out %.0f late frames were fenced, and the "
      "server was told\n",
      fenced);
}

TEST_F(StreamTest, R14AServerThatStoodStillForLessThanTheTimeoutIsNotLost) {
  job_.variables["PS_HEARTBEAT_TIMEOUT"] = Seconds(seconds(3));
  Start({"stream", "seconds", "3"});
  job_.node(kFirstServer).Signal(SIGSTOP);
  ASSERT_TRUE(job_.node(0).StillRunsAfter(milliseconds(1000)));
  job_.node(kFirstServer).Signal(SIGCONT);
  ASSERT_TRUE(job_.AllSucceedWithin(seconds(20)));
  for (int i = kFirstWorker; i < 5; ++i) {
    for (const std::string server : {"server 0: ", "server 1: "})
      EXPECT_TRUE(Contains(LineWith(job_.node(i), server), "failed 0; exact")) << job_.node(i).output();
  }
}

}  // namespace
}  // namespace ps

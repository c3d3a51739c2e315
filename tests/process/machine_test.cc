// What the machine does to a node: its clock, its limits, its folders (R15, R18); what a node leaves on it
// (R22).
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "tests/support/job.h"
#include "tests/support/memory.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

double Number(Process& process, const std::string& name) {
  const std::string output = process.output();
  const size_t at = output.find(name);
  return at == std::string::npos ? std::nan("") : std::atof(output.c_str() + at + name.size());
}

// The test's own.
std::string Folder() {
  const char* folder = std::getenv("TMPDIR");
  return folder != nullptr ? folder : testing::TempDir();
}

Job StreamingJob() {
  Job job(2, 2);
  job.program = ProgramPath("process/trainer");
  job.variables["PS_HEARTBEAT_INTERVAL"] = "0.1";
  job.variables["PS_HEARTBEAT_TIMEOUT"] = std::to_string(1.0 * TestTimeScale());
  return job;
}

void ExpectExactSums(Job* job) {
  for (int i = 3; i < 5; ++i) {
    for (const std::string server : {"server 0: ", "server 1: "}) {
      const std::string output = job->node(i).output();
      const size_t at = output.find(server + "acknowledged ");
      ASSERT_NE(at, std::string::npos) << output;
      EXPECT_NE(output.substr(at, output.find('\n', at) - at).find("failed 0; exact"), std::string::npos)
          << output;
    }
  }
}

// --- R15: the wall clock ---

std::string FakeTimeLibrary() {
  for (const char* folder : {"/usr/lib/x86_64-linux-gnu/faketime/", "/usr/lib/aarch64-linux-gnu/faketime/",
                             "/usr/lib/faketime/", "/usr/local/lib/faketime/"}) {
    const std::string path = std::string(folder) + "libfaketimeMT.so.1";
    if (std::filesystem::exists(path)) return path;
  }
  return "";
}

// The clock that the processes of a job see; the machine's own is never touched.
class FakeWallClock {
 public:
  explicit FakeWallClock(Process::Environment* variables) : path_(Folder() + "/wall_clock") {
    Move("+0");
    (*variables)["LD_PRELOAD"] = FakeTimeLibrary();
    (*variables)["FAKETIME_TIMESTAMP_FILE"] = path_;
    (*variables)["FAKETIME_NO_CACHE"] = "1";
    (*variables)["FAKETIME_DONT_FAKE_MONOTONIC"] = "1";
    (*variables)["DONT_FAKE_MONOTONIC"] = "1";
  }
  ~FakeWallClock() { std::filesystem::remove(path_); }
  // Replaces the file as a whole: it is read at any moment.
  void Move(const std::string& offset) {
    std::ofstream(path_ + ".new") << offset << "\n";
    std::filesystem::rename(path_ + ".new", path_);
  }

 private:
  const std::string path_;
};

TEST(R15, AJumpOfTheWallClockLosesNobody) {
  if (FakeTimeLibrary().empty()) GTEST_SKIP() << "libfaketime is not installed (package faketime)";
  if (UnderSanitizer()) GTEST_SKIP() << "a sanitizer's runtime must be loaded before libfaketime";
  Job job = StreamingJob();
  FakeWallClock clock(&job.variables);
  job.StartAll({"stream", "seconds", "4"});
  for (int i = 3; i < 5; ++i) ASSERT_TRUE(job.node(i).Prints("under way")) << job.node(i).output();
  clock.Move("+3600s");
  ASSERT_TRUE(job.node(0).StillRunsAfter(milliseconds(1500))) << job.node(0).output();
  clock.Move("-3600s");
  ASSERT_TRUE(job.AllSucceedWithin(seconds(20)));
  ExpectExactSums(&job);
  for (int i = 3; i < 5; ++i) EXPECT_NEAR(Number(job.node(i), "wall clock moved by "), -3600, 60);
  std::printf("FIGURE R15 the wall clock jumped by +1 h and -2 h: nobody was lost, sums exact\n");
}

// --- R18: limits, folders, names ---

// Runs what it is given under a limit of open files.
std::vector<std::string> Limited(int files, std::vector<std::string> command) {
  command.insert(command.begin(), {"-c", "ulimit -n " + std::to_string(files) + "; exec \"$0\" \"$@\""});
  return command;
}

TEST(R18, AJobRunsWithSixtyFourOpenFilesPerNode) {
  Job job = StreamingJob();
  const std::string trainer = job.program;
  job.program = "sh";
  job.StartAll(Limited(64, {trainer, "stream", "seconds", "1"}));
  ASSERT_TRUE(job.AllSucceedWithin(seconds(20)));
  ExpectExactSums(&job);
}

TEST(R18, TooFewOpenFilesAreAClearErrorNeverAnAbort) {
  int refused = 0;
  const int limits[] = {4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 32, 36};
  for (int files : limits) {
    for (const char* role : {"scheduler", "server"}) {
      Job job(1, 1);
      job.variables["PS_START_TIMEOUT"] = "0.3";
      const std::string node = job.program;
      job.program = "sh";
      Process* const alone = job.Start(role, Limited(files, {node, "start"}));
      ASSERT_TRUE(alone->EndsWithin(seconds(2))) << files << " files, " << role << ":\n" << alone->output();
      // Below what the loader and the C++ runtime need, the program does not get as far as main.
      const bool loaded = alone->output().find("node: ") != std::string::npos;
      EXPECT_TRUE(loaded || files < 6) << files << " files, " << role << ":\n" << alone->output();
      if (!loaded) continue;
      EXPECT_EQ(alone->exit_code(), 1) << files << " files, " << role << ":\n" << alone->output();
      const bool says = alone->output().find("ulimit -n") != std::string::npos;
      EXPECT_TRUE(says || alone->output().find("PS_START_TIMEOUT") != std::string::npos) << alone->output();
      refused += says ? 1 : 0;
    }
  }
  EXPECT_GT(refused, 0) << "no limit was too low: this test sees nothing";
  std::printf(
      "FIGURE R18 %d starts with too few open files: each says what to raise, none aborts; 64 are enough\n",
      refused);
}

TEST(R18, FoldersForTemporaryFilesAreNotNeeded) {
  for (const char* local : {"0", "1"}) {
    Job job = StreamingJob();
    for (const char* name : {"TMPDIR", "XDG_RUNTIME_DIR", "HOME"})
      job.variables[name] = "/proc";  // nobody writes there
    job.variables["DMLC_LOCAL"] = local;
    job.StartAll({"stream", "seconds", "1"});
    ASSERT_TRUE(job.AllSucceedWithin(seconds(20))) << "DMLC_LOCAL=" << local;
    ExpectExactSums(&job);
  }
}

TEST(R18, ANameThatCanNotBeResolvedIsAnErrorWithTheVariables) {
  for (const char* variable : {"DMLC_PS_ROOT_URI", "DMLC_NODE_HOST", "PS_BIND_HOST"}) {
    Job job(1, 1);
    Process* const node = job.Start("server", {"start"}, {{variable, "no-such-host.invalid"}});
    ASSERT_TRUE(node->EndsWithin(seconds(2))) << node->output();
    EXPECT_EQ(node->exit_code(), 1) << node->output();
    EXPECT_NE(node->output().find("no-such-host.invalid"), std::string::npos) << node->output();
    EXPECT_NE(node->output().find(variable), std::string::npos) << node->output();
  }
}

// --- R22: what is left behind ---

// A node that starts again may reach the scheduler while that still waits for the others to leave the job
// before: it is asked to wait, and registers with the next one.
TEST(R22, RestartsInEachProcessLeaveNothingBehind) {
  const int times = LongForms() ? 1000 : 100;
  Job job(1, 1);
  job.StartAll({"race", std::to_string(times)});
  alarm(static_cast<unsigned>((60 + times / 2) * TestTimeScale()));  // the limit of one test counts anew
  ASSERT_TRUE(job.AllSucceedWithin(seconds(40 + times / 2)));
  for (int i = 0; i < 3; ++i) {
    Process& node = job.node(i);
    EXPECT_EQ(Number(node, "threads="), 0) << node.output();
    EXPECT_EQ(Number(node, "descriptors="), 0) << node.output();
    EXPECT_TRUE(UnderSanitizer() || Number(node, "kb=") < 2048) << node.output();
  }
  std::printf(
      "FIGURE R22 %d times Start and Finalize in each of three processes, after the first quarter: threads "
      "%+.0f, "
      "descriptors %+.0f, memory %+.0f, %+.0f and %+.0f kB\n",
      times, Number(job.node(1), "threads="), Number(job.node(1), "descriptors="), Number(job.node(0), "kb="),
      Number(job.node(1), "kb="), Number(job.node(2), "kb="));
}

// The sockets of the abstract name space that carry the number of a port.
std::set<std::string> SocketsOf(const std::string& port) {
  std::set<std::string> sockets;
  std::ifstream file("/proc/net/unix");
  for (std::string line; std::getline(file, line);) {
    if (line.find('@') != std::string::npos && line.find(port) != std::string::npos) sockets.insert(line);
  }
  return sockets;
}

TEST(R22, NothingIsLeftBehindWhenAllAreKilled) {
  for (const char* local : {"0", "1"}) {
    const std::string folder = Folder() + "/killed_" + local;
    std::filesystem::create_directory(folder);
    Job job = StreamingJob();
    job.variables["DMLC_LOCAL"] = local;
    job.variables["TMPDIR"] = folder;
    job.StartAll({"stream", "seconds", "30"});
    for (int i = 3; i < 5; ++i) ASSERT_TRUE(job.node(i).Prints("under way")) << job.node(i).output();
    for (int i = 0; i < 5; ++i) job.node(i).Signal(SIGKILL);
    for (int i = 0; i < 5; ++i) ASSERT_TRUE(job.node(i).EndsWithin(seconds(5)));
    EXPECT_TRUE(std::filesystem::is_empty(folder)) << *std::filesystem::directory_iterator(folder);
    EXPECT_EQ(SocketsOf(std::to_string(job.port())), std::set<std::string>());
    job.Clear();
    job.StartAll({"stream", "seconds", "1"});  // on the same port, at once
    ASSERT_TRUE(job.AllSucceedWithin(seconds(20))) << "DMLC_LOCAL=" << local;
    ExpectExactSums(&job);
  }
}

}  // namespace
}  // namespace ps

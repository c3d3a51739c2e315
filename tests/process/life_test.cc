// What a running job of processes prints, how long it takes, and what it costs while it waits.
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <cstdio>
#include <regex>

#include "tests/support/job.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr char kStamp[] = R"(^\[[0-9]{2}:[0-9]{2}:[0-9]{2}\] \S+:[0-9]+: )";

// The lines of `process` without time and place, as far as they have them.
std::vector<std::string> Texts(Process& process) {
  const std::regex stamp(kStamp);
  std::vector<std::string> texts;
  for (const std::string& line : process.lines()) texts.push_back(std::regex_replace(line, stamp, ""));
  return texts;
}

std::string Joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

// Whether `patterns` match lines of `texts` in this order.
void ExpectInOrder(const std::vector<std::string>& texts, const std::vector<std::string>& patterns) {
  size_t next = 0;
  for (const std::string& pattern : patterns) {
    const std::regex expected(pattern);
    while (next < texts.size() && !std::regex_search(texts[next], expected)) ++next;
    ASSERT_LT(next, texts.size()) << "'" << pattern << "' does not follow in:\n" << Joined(texts);
    ++next;
  }
}

TEST(LogLines, TheSchedulerTellsTheLifeOfTheClusterInOrder) {
  Job job(1, 1);
  job.program = ProgramPath("compat/connection");
  job.variables["PS_VERBOSE"] = "1";
  job.StartAll({});
  ASSERT_TRUE(job.AllSucceedWithin(seconds(20)));
  const std::string port = std::to_string(job.port());
  std::vector<std::string> texts = Texts(job.node(0));
  const std::string count = "Barrier count for 7 : ";
  ExpectInOrder(texts, {"Bind to role=scheduler, id=1, ip=127\\.0\\.0\\.1, port=" + port + ", is_recovery=0$",
                        "assign rank=8 to node role=server, ip=127\\.0\\.0\\.1, port=[0-9]+, is_recovery=0$",
                        "assign rank=9 to node role=worker, ip=127\\.0\\.0\\.1, port=[0-9]+, is_recovery=0$",
                        "the scheduler is connected to 1 workers and 1 servers$", count + "1$", count + "2$",
                        count + "3$", count + "1$", count + "2$", count + "3$", "H\\[1\\] is stopping$",
                        "H\\[1\\] is stopped$"});
  EXPECT_EQ(std::count_if(texts.begin(), texts.end(),
                          [&](const std::string& text) { return text.find(count) != std::string::npos; }),
            6)
      << Joined(texts);
  for (const std::string& line : job.node(0).lines())
    EXPECT_TRUE(std::regex_search(line, std::regex(kStamp))) << line;
  ExpectInOrder(Texts(job.node(1)),
                {"Bind to role=server, ip=127\\.0\\.0\\.1, port=[0-9]+, is_recovery=0$",
                 "S\\[8\\] is connected to others$", "S\\[8\\] is stopping$", "S\\[8\\] is stopped$"});
  ExpectInOrder(Texts(job.node(2)),
                {"Bind to role=worker, ip=127\\.0\\.0\\.1, port=[0-9]+, is_recovery=0$",
                 "W\\[9\\] is connected to others$", "W\\[9\\] is stopping$", "W\\[9\\] is stopped$"});
}

void ExpectLine(Process& process, const std::string& pattern) {
  const std::vector<std::string> texts = Texts(process);
  const std::regex expected(pattern);
  EXPECT_TRUE(std::any_of(texts.begin(), texts.end(),
                          [&](const std::string& text) { return std::regex_search(text, expected); }))
      << "no line '" << pattern << "' in:\n"
      << Joined(texts);
}

TEST(LogLines, LevelTwoPrintsEveryMessageInTheUsualShape) {
  Job job(1, 1);
  job.program = ProgramPath("compat/kv_app");
  job.variables["PS_VERBOSE"] = "2";
  job.StartAll({});
  ASSERT_TRUE(job.AllSucceedWithin(seconds(30)));
  const std::string node = "role=[a-z]+, id=[0-9]+, ip=127\\.0\\.0\\.1, port=[0-9]+, is_recovery=0";
  ExpectLine(job.node(2),
             "\\? => 1\\. Meta: request=0.*, control=\\{ cmd=ADD_NODE, node=\\{ role=worker, "
             "ip=127\\.0\\.0\\.1, port=[0-9]+, is_recovery=0 \\} \\}$");
  ExpectLine(job.node(0), "1 => 9\\. Meta: request=0.*, control=\\{ cmd=ADD_NODE, node=\\{ " + node + " " +
                              node + " " + node + " \\} \\}$");
  ExpectLine(job.node(2), "9 => 1\\. Meta: request=1.*, control=\\{ cmd=BARRIER, barrier_group=7 \\}$");
  ExpectLine(job.node(0), "1 => 9\\. Meta: request=0.*, control=\\{ cmd=BARRIER, barrier_group=0 \\}$");
  ExpectLine(job.node(0), "1 => 1\\. Meta: request=0.*, control=\\{ cmd=BARRIER, barrier_group=0 \\}$");
  const std::string push =
      "9 => 8\\. Meta: request=1, timestamp=0, app_id=0, customer_id=0, simple_app=0, push=1, pull=0, "
      "head=0, "
      "data_type=\\{ UINT64 FLOAT \\} Body: data_size=80000 data_size=40000$";
  ExpectLine(job.node(2), push);
  ExpectLine(job.node(1), push);
}

TEST(LogLines, LevelTwoPrintsBodiesOfCommands) {
  Job job(1, 1);
  job.program = ProgramPath("compat/simple_app");
  job.variables["PS_VERBOSE"] = "2";
  job.StartAll({});
  ASSERT_TRUE(job.AllSucceedWithin(seconds(30)));
  ExpectLine(job.node(0),
             "1 => 9\\. Meta: request=1, timestamp=[0-9]+, app_id=0, customer_id=0, simple_app=1, push=0, "
             "pull=0, head=1, body=test$");
}

double Number(Process& process, const std::string& name) {
  const std::string output = process.output();
  const size_t at = output.find(name + "=");
  return at == std::string::npos ? -1 : std::atof(output.c_str() + at + name.size() + 1);
}

TEST(RegressB10c, StartAndFinalizeOfThreeProcessesTakeNoSteps) {
  double best = 1e9;
  for (int round = 0; round < 5; ++round) {
    Job job(1, 1);
    job.StartAll({"start"});
    ASSERT_TRUE(job.AllSucceedWithin(seconds(20)));
    double began = 0;
    double ended = 0;
    for (int i = 0; i < 3; ++i) {
      began = std::max(began, Number(job.node(i), "began"));
      ended = std::max(ended, Number(job.node(i), "ended"));
    }
    best = std::min(best, ended - began);
  }
  std::printf(
      "Start and Finalize of 1+1+1 processes: %.1f ms from the last one's main, best of 5 (figure: 100)\n",
      best);
  EXPECT_LE(best, 2000 * TestTimeScale());
}

TEST(Figures, AWaitingNodeUsesNoProcessor) {
  Job job(1, 1);
  job.StartAll({"hold"});
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(job.node(i).Prints("started")) << job.node(i).output();
  const milliseconds span = LongForms() ? seconds(10) : milliseconds(1500);
  int64_t used[3];
  // The scheduler and the server wait in the barrier of Finalize, the worker for a signal.
  ASSERT_TRUE(job.node(0).StillRunsAfter(milliseconds(200)));
  for (int i = 0; i < 3; ++i) used[i] = ProcessorTimeOf(job.node(i).pid());
  ASSERT_TRUE(job.node(0).StillRunsAfter(span));
  for (int i = 0; i < 3; ++i) {
    const double percent = 100.0 * static_cast<double>(ProcessorTimeOf(job.node(i).pid()) - used[i]) /
                           (1e6 * static_cast<double>(span.count()));
    std::printf("idle processor use of node %d: %.3f %% (figure: 1 %%)\n", i, percent);
    EXPECT_GE(percent, 0);
    EXPECT_LE(percent, 5 * TestTimeScale());
  }
  job.node(2).Signal(SIGUSR1);
  EXPECT_TRUE(job.AllSucceedWithin(seconds(20)));
}

TEST(RegressB13, RequestsWaitForAServerThatIsBuiltLate) {
  Job job(1, 1);
  job.StartAll({"late_server"});
  ASSERT_TRUE(job.node(2).Prints("pushed")) << job.node(2).output();
  EXPECT_TRUE(job.node(2).StillRunsAfter(LongForms() ? seconds(8) : milliseconds(300)));
  job.node(1).Signal(SIGUSR1);
  EXPECT_TRUE(job.AllSucceedWithin(seconds(20)));
  EXPECT_NE(job.node(2).output().find("sums exact"), std::string::npos) << job.node(2).output();
}

TEST(RegressB13, AServerThatNeverComesFailsTheRequestByName) {
  Job job(1, 1);
  job.variables["PS_REQUEST_TIMEOUT"] = "0.5";
  job.StartAll({"late_server"});
  ASSERT_TRUE(job.node(2).EndsWithin(seconds(10))) << job.node(2).output();
  EXPECT_EQ(job.node(2).exit_code(), 1);
  EXPECT_NE(job.node(2).output().find("server 0 (id 8"), std::string::npos) << job.node(2).output();
  EXPECT_NE(job.node(2).output().find("has no customer for app 0"), std::string::npos)
      << job.node(2).output();
  job.node(1).Signal(SIGUSR1);
}

// Servers build their KVServer after Start, workers push at once. The long form shares one core with a busy
// loop.
TEST(RegressB12, TheObviousProgramStarts) {
  const int times = LongForms() ? 200 : 3;
  std::unique_ptr<Process> busy;
  if (LongForms()) {
    busy = std::make_unique<Process>(
        std::vector<std::string>{"taskset", "-c", "0", "sh", "-c", "while :; do :; done"},
        Process::Environment{});
  }
  for (int i = 0; i < times; ++i) {
    Job job(2, 2);
    std::vector<std::string> arguments = {"race"};
    if (LongForms()) {
      arguments = {"-c", "0", job.program, "race"};
      job.program = "taskset";
    }
    job.StartAll(arguments);
    ASSERT_TRUE(job.AllSucceedWithin(seconds(60))) << "run " << i;
    if (i % 20 == 0) alarm(static_cast<unsigned>(60 * TestTimeScale()));  // the limit of one test counts anew
  }
}

}  // namespace
}  // namespace ps

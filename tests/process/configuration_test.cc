// Every mistake of configuration is one clear line and a non-zero exit within 2 s (B-01 to B-10).
#include <gtest/gtest.h>

#include "tests/support/job.h"

namespace ps {
namespace {

using std::chrono::seconds;

struct Mistake {
  std::string name;
  std::string role;
  Process::Environment variables;  // an empty value unsets it
  std::vector<std::string> texts;  // what the line must contain
};

void PrintTo(const Mistake& mistake, std::ostream* out) { *out << mistake.name; }

// Exactly one line, with all of `texts`, and exit code 1 in time.
void ExpectOneLine(Process& node, const std::vector<std::string>& texts) {
  ASSERT_TRUE(node.EndsWithin(seconds(2))) << node.output();
  EXPECT_EQ(node.exit_code(), 1);
  EXPECT_EQ(node.lines().size(), 1u) << node.output();
  for (const std::string& text : texts) {
    EXPECT_NE(node.output().find(text), std::string::npos) << "'" << text << "' is not in:\n"
                                                           << node.output();
  }
}

class ConfigurationTest : public testing::TestWithParam<Mistake> {};

TEST_P(ConfigurationTest, IsOneClearLine) {
  Job job(1, 1);
  Process* const node = job.Start(GetParam().role, {"start"}, GetParam().variables);
  ExpectOneLine(*node, GetParam().texts);
}

Mistake Wrong(const std::string& test, const std::string& variable, const std::string& value,
              std::vector<std::string> texts = {}) {
  texts.push_back(variable + "=\"" + value + "\"");
  return {test, "worker", {{variable, value}}, texts};
}

Mistake Missing(const std::string& test, const std::string& variable) {
  return {test, "worker", {{variable, ""}}, {variable, "for example"}};
}

const Mistake kMistakes[] = {
    Wrong("B01Role", "DMLC_ROLE", "wroker", {"is not a role: use worker, server or scheduler"}),
    Wrong("B01Joint", "DMLC_ROLE", "joint"),
    Wrong("B02Workers", "DMLC_NUM_WORKER", "abc", {"0 to 65535"}),
    Wrong("B02Servers", "DMLC_NUM_SERVER", "2x", {"0 to 65535"}),
    Wrong("B02TooMany", "DMLC_NUM_SERVER", "65536", {"0 to 65535"}),
    Wrong("B02Negative", "DMLC_NUM_WORKER", "-1", {"0 to 65535"}),
    Wrong("B02Port", "DMLC_PS_ROOT_PORT", "99999", {"1 to 65535"}),
    Wrong("B02PortZero", "DMLC_PS_ROOT_PORT", "0", {"1 to 65535"}),
    Wrong("B02OwnPort", "DMLC_PORT", "70000"),
    Wrong("B02Verbose", "PS_VERBOSE", "much"),
    Wrong("B02Timeout", "PS_START_TIMEOUT", "soon"),
    Wrong("B02Rank", "DMLC_RANK", "first"),
    Wrong("Van", "DMLC_PS_VAN_TYPE", "rdma", {"auto, shm, zmq or p3"}),
    Wrong("Policy", "PS_ON_NODE_LOST", "panic"),
    Wrong("Partition", "PS_KEY_PARTITION", "even"),
    {"B63Heartbeat",
     "worker",
     {{"PS_HEARTBEAT_INTERVAL", "2"}, {"PS_HEARTBEAT_TIMEOUT", "1"}},
     {"PS_HEARTBEAT_TIMEOUT=\"1\"", "PS_HEARTBEAT_INTERVAL=\"2\""}},
    Missing("B03Role", "DMLC_ROLE"),
    Missing("B03Workers", "DMLC_NUM_WORKER"),
    Missing("B03Servers", "DMLC_NUM_SERVER"),
    Missing("B03Host", "DMLC_PS_ROOT_URI"),
    Missing("B03Port", "DMLC_PS_ROOT_PORT"),
    {"NobodyInTheJob",
     "scheduler",
     {{"DMLC_NUM_WORKER", "0"}, {"DMLC_NUM_SERVER", "0"}},
     {"DMLC_NUM_WORKER"}},
    Wrong("B07Host", "DMLC_PS_ROOT_URI", "ten.zero.zero.x y"),
    {"B09Interface", "worker", {{"DMLC_INTERFACE", "nosuch0"}}, {"nosuch0", "lo"}},
    {"B10BindHost", "server", {{"PS_BIND_HOST", "203.0.113.7"}}, {"203.0.113.7", "PS_BIND_HOST"}},
    {"B10SchedulerElsewhere",
     "scheduler",
     {{"DMLC_PS_ROOT_URI", "203.0.113.7"}},
     {"203.0.113.7", "Cannot assign requested address"}},
};

INSTANTIATE_TEST_SUITE_P(Mistakes, ConfigurationTest, testing::ValuesIn(kMistakes),
                         [](const auto& info) { return info.param.name; });

// --- what only the scheduler can see ---

TEST(RegressB02, OtherCountsAreRefusedNamingBothNodesAndValues) {
  Job job(1, 1);
  job.Start("scheduler", {"start"});
  Process* const node = job.Start("worker", {"start"}, {{"DMLC_NUM_WORKER", "2"}});
  ExpectOneLine(*node, {"DMLC_NUM_WORKER", "1", "2", "scheduler"});
}

TEST(RegressB02, ARankOutOfRangeIsRefused) {
  Job job(1, 1);
  job.Start("scheduler", {"start"});
  Process* const node = job.Start("server", {"start"}, {{"DMLC_RANK", "1"}});
  ExpectOneLine(*node, {"DMLC_RANK", "1"});
}

TEST(RegressB02, ARankAskedForTwiceIsRefusedNamingBoth) {
  Job job(2, 1);
  job.variables["PS_VERBOSE"] = "2";
  job.Start("scheduler", {"start"});
  Process* const first = job.Start("server", {"start"}, {{"DMLC_RANK", "0"}});
  ASSERT_TRUE(job.node(0).Prints("cmd=ADD_NODE")) << job.node(0).output();
  Process& refused = *job.Start("server", {"start"}, {{"DMLC_RANK", "0"}});
  ASSERT_TRUE(refused.EndsWithin(seconds(20))) << refused.output();
  EXPECT_EQ(refused.exit_code(), 1);
  EXPECT_NE(refused.output().find("rank 0"), std::string::npos) << refused.output();
  EXPECT_TRUE(first->StillRunsAfter(std::chrono::milliseconds(100))) << "it waits for the rest of the job";
}

TEST(RegressB10, AnOwnPortThatIsTakenIsNamedWithTheSystemsText) {
  Job job(1, 1);
  job.Start("scheduler", {"start"});
  Process* const first =
      job.Start("server", {"start"}, {{"DMLC_PORT", std::to_string(FreePort())}, {"PS_VERBOSE", "1"}});
  ASSERT_TRUE(first->Prints("Bind to")) << first->output();
  const std::string output = first->output();
  const std::string port = output.substr(output.find("port=") + 5, 5);
  Process* const second = job.Start("worker", {"start"}, {{"DMLC_PORT", port}});
  ExpectOneLine(*second, {"127.0.0.1:" + port, "Address already in use", "DMLC_PORT"});
}

TEST(Configuration, AMisspeltVariableGetsOneWarningWithTheNearestName) {
  Job job(1, 1);
  job.variables["PS_HEARTBEAT_TIMEOT"] = "5";
  job.StartAll({"start"});
  ASSERT_TRUE(job.AllSucceedWithin(seconds(20)));
  for (int i = 0; i < 3; ++i) {
    int warnings = 0;
    for (const std::string& line : job.node(i).lines()) {
      const bool both = line.find("PS_HEARTBEAT_TIMEOT") != std::string::npos &&
                        line.find("PS_HEARTBEAT_TIMEOUT") != std::string::npos;
      warnings += both ? 1 : 0;
    }
    EXPECT_EQ(warnings, 1) << job.node(i).output();
  }
}

}  // namespace
}  // namespace ps

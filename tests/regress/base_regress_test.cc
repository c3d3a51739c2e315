// Start and configuration: the defects that configuration, addresses and logging can answer for.
#include <gtest/gtest.h>
#include <unistd.h>

#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "base/address.h"
#include "base/network.h"
#include "base/thread.h"
#include "ps/base.h"
#include "ps/config.h"
#include "ps/environment.h"

namespace ps {
namespace {

Environment::Map Job() {
  return {{"DMLC_ROLE", "server"},
          {"DMLC_NUM_WORKER", "1"},
          {"DMLC_NUM_SERVER", "1"},
          {"DMLC_PS_ROOT_URI", "127.0.0.1"},
          {"DMLC_PS_ROOT_PORT", "8000"}};
}

Result<Config> Parse(const Environment::Map& entries) {
  return Config::FromEnvironment(Environment(entries, Environment::Fallback::kMapOnly));
}

Result<Config> ParseWith(const std::string& name, const std::string& value) {
  Environment::Map entries = Job();
  entries[name] = value;
  return Parse(entries);
}

TEST(RegressB01, AMisspeltRoleIsRefusedWithTheAllowedList) {
  EXPECT_EQ(ParseWith("DMLC_ROLE", "wroker").status(),
            Status::InvalidArgument("DMLC_ROLE=\"wroker\" is not a role: use worker, server or scheduler"));
}

TEST(RegressB02, CountsAndPortsAreParsedWholeAndChecked) {
  EXPECT_EQ(ParseWith("DMLC_NUM_WORKER", "abc").status(),
            Status::InvalidArgument(
                "DMLC_NUM_WORKER=\"abc\" is not an allowed number: use a whole number from 0 to 65535"));
  EXPECT_FALSE(ParseWith("DMLC_NUM_SERVER", "2x").ok());
  EXPECT_FALSE(ParseWith("DMLC_NUM_SERVER", "65536").ok());
  EXPECT_EQ(ParseWith("DMLC_PS_ROOT_PORT", "0").status(),
            Status::InvalidArgument(
                "DMLC_PS_ROOT_PORT=\"0\" is not an allowed number: use a whole number from 1 to 65535"));
  Environment::Map nobody = Job();
  nobody["DMLC_NUM_WORKER"] = nobody["DMLC_NUM_SERVER"] = "0";
  EXPECT_FALSE(Parse(nobody).ok());
}

TEST(RegressB03, AMissingVariableIsNamedWithAnExample) {
  const std::map<std::string, std::string> examples = {{"DMLC_ROLE", "worker"},
                                                       {"DMLC_NUM_WORKER", "2"},
                                                       {"DMLC_NUM_SERVER", "1"},
                                                       {"DMLC_PS_ROOT_URI", "10.0.0.1"},
                                                       {"DMLC_PS_ROOT_PORT", "8000"}};
  for (const auto& [name, example] : examples) {
    Environment::Map entries = Job();
    entries.erase(name);
    EXPECT_EQ(Parse(entries).status(),
              Status::InvalidArgument(name + " is not set: every node needs it, for example " + name + "=" +
                                      example + " (tracker/local.sh sets all for a job on one machine)"));
  }
}

TEST(RegressB08, V6AddressesAreTakenWithAndWithoutBrackets) {
  EXPECT_EQ(ParseWith("DMLC_PS_ROOT_URI", "::1").value().root_uri, "::1");
  EXPECT_EQ(ParseWith("DMLC_PS_ROOT_URI", "[::1]").value().root_uri, "::1");
  EXPECT_EQ(ParseWith("DMLC_NODE_HOST", "[fd00::7]").value().node_host, "fd00::7");
  EXPECT_EQ((Address{"::1", 80}.ToString()), "[::1]:80");
  EXPECT_EQ(ParseAddress("[::1]:80").value(), (Address{"::1", 80}));
}

TEST(RegressB09, AnInterfaceIsMatchedExactlyAndOnlyWhenUp) {
  const std::vector<InterfaceInfo> machine = {{"eth10", "10.0.0.10", true, false},
                                              {"eth1", "10.0.0.1", true, false},
                                              {"eth2", "10.0.0.2", false, false}};
  EXPECT_EQ(PickInterface(machine, "eth1").value(), "10.0.0.1");
  const Status down = PickInterface(machine, "eth2").status();
  EXPECT_FALSE(down.ok());
  EXPECT_NE(down.message().find("eth10 (10.0.0.10), eth1 (10.0.0.1)"), std::string::npos) << down;
}

TEST(RegressB10b, AGenericPortIsNotTakenUnlessAsked) {
  EXPECT_EQ(ParseWith("PORT", "5000").value().port, 0);
  Environment::Map asked = Job();
  asked["PORT"] = "5000";
  asked["PS_USE_PORT"] = "1";
  EXPECT_EQ(Parse(asked).value().port, 5000);
  asked["DMLC_PORT"] = "6000";
  EXPECT_EQ(Parse(asked).value().port, 6000);
  asked.erase("DMLC_PORT");
  asked["PORT"] = "http";
  EXPECT_NE(Parse(asked).status().message().find("PORT=\"http\""), std::string::npos);
}

TEST(RegressB73, LinesOfManyThreadsNeverInterleave) {
  constexpr int kThreads = 4;
  constexpr int kLines = 200;
  testing::internal::CaptureStderr();
  {
    std::vector<std::unique_ptr<Thread>> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.push_back(std::make_unique<Thread>("log", [t] {
        for (int i = 0; i < kLines; ++i) LOG(INFO) << "thread " << t << " " << std::string(100, 'a' + t);
      }));
    }
  }
  std::istringstream text(testing::internal::GetCapturedStderr());
  std::map<std::string, int> seen;
  std::string line;
  while (std::getline(text, line)) ++seen[line.substr(line.find("thread"))];
  ASSERT_EQ(seen.size(), static_cast<std::size_t>(kThreads)) << "a line was torn";
  for (const auto& entry : seen) EXPECT_EQ(entry.second, kLines) << entry.first;
}

TEST(RegressB90, RoleAndCountsAreKnownBeforeEverythingElseIsSet) {
  const Environment partial({{"DMLC_ROLE", "server"}, {"DMLC_NUM_WORKER", "3"}},
                            Environment::Fallback::kMapOnly);
  EXPECT_EQ(Config::RoleFromEnvironment(partial), Role::kServer);
  EXPECT_EQ(Config::NumWorkersFromEnvironment(partial), 3);
  EXPECT_EQ(Config::NumServersFromEnvironment(partial), std::nullopt);
  const Environment wrong({{"DMLC_ROLE", "wroker"}}, Environment::Fallback::kMapOnly);
  EXPECT_EQ(Config::RoleFromEnvironment(wrong), std::nullopt);
}

TEST(RegressB91, ComparisonsOfWhatCannotBePrintedCompileAndThrow) {
  const std::map<int, int> map;
  CHECK_EQ(map.find(1), map.end());
  EXPECT_THROW(CHECK_NE(map.find(1), map.end()), dmlc::Error);
}

}  // namespace
}  // namespace ps

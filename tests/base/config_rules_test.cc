#include "base/config_rules.h"

#include <gtest/gtest.h>

#include <string>

#include "base/variables.h"

namespace ps {
namespace {

bool IsKnown(const std::string& name) {
  for (const VariableInfo& info : KnownVariables()) {
    if (name == info.name) return true;
  }
  return false;
}

TEST(ConfigRulesTest, EveryRuleIsOfADocumentedVariable) {
  for (const NumberRule& rule : NumberRules()) EXPECT_TRUE(IsKnown(rule.name)) << rule.name;
  for (const TimeRule& rule : TimeRules()) EXPECT_TRUE(IsKnown(rule.name)) << rule.name;
}

TEST(ConfigRulesTest, DefaultsSatisfyTheRules) { EXPECT_TRUE(Config().Validate().ok()); }

TEST(ConfigRulesTest, EveryNumberIsHeldWithinItsRange) {
  for (const NumberRule& rule : NumberRules()) {
    Config config;
    rule.Set(&config, rule.min - 1);
    EXPECT_EQ(config.Validate(), NumberFault(rule, std::to_string(rule.min - 1)));
    config = Config();
    rule.Set(&config, rule.max);
    EXPECT_TRUE(config.Validate().ok()) << rule.name << config.Validate();
    EXPECT_EQ(rule.Get(config), rule.max);
  }
}

TEST(ConfigRulesTest, NegativeTimesAreRefused) {
  for (const TimeRule& rule : TimeRules()) {
    Config config;
    config.*rule.field = -1;
    EXPECT_EQ(config.Validate().code(), StatusCode::kInvalidArgument) << rule.name;
  }
}

TEST(ConfigRulesTest, AJobNeedsAWorkerOrAServer) {
  Config config;
  config.num_workers = 0;
  EXPECT_TRUE(config.Validate().ok());
  config.num_servers = 0;
  EXPECT_NE(config.Validate().message().find("at least one worker or server"), std::string::npos);
}

TEST(ConfigRulesTest, HostsHaveToBeHosts) {
  Config config;
  config.root_uri = "tcp://10.0.0.1";
  EXPECT_NE(config.Validate().message().find("DMLC_PS_ROOT_URI=\"tcp://10.0.0.1\" is not a host"),
            std::string::npos);
  config = Config();
  config.bind_host = "10.0.0.1:80";
  EXPECT_NE(config.Validate().message().find("PS_BIND_HOST"), std::string::npos);
}

TEST(ConfigRulesTest, TheJointRoleIsNotOffered) {
  Config config;
  config.role = Role::kJoint;
  EXPECT_EQ(
      config.Validate().message(),
      "DMLC_ROLE=\"joint\" is not a role of one node (only programs of ps/multiverso.h are two in one): use "
      "worker, server or scheduler");
}

TEST(ConfigRulesTest, AHeartbeatTimeoutBelowTheIntervalIsRefusedWithBothValues) {
  Config config;
  config.heartbeat_interval_ms = 2000;
  config.heartbeat_timeout_ms = 500;
  const std::string error = config.Validate().message();
  EXPECT_NE(error.find("PS_HEARTBEAT_TIMEOUT=\"0.5\""), std::string::npos) << error;
  EXPECT_NE(error.find("PS_HEARTBEAT_INTERVAL=\"2\""), std::string::npos) << error;
}

}  // namespace
}  // namespace ps

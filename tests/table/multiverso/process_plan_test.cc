#include "table/multiverso/process_plan.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace multiverso {
namespace {

using ps::Environment;
using ps::Role;

const Environment::Map kJob = {{"DMLC_NUM_WORKER", "3"},
                               {"DMLC_NUM_SERVER", "2"},
                               {"DMLC_PS_ROOT_URI", "10.0.0.1"},
                               {"DMLC_PS_ROOT_PORT", "9091"}};

ps::Result<ProcessPlan> Plan(const ClusterWish& wish, const Environment::Map& entries) {
  return PlanProcess(wish, Environment(entries, Environment::Fallback::kMapOnly));
}

ps::Result<ProcessPlan> PlanJob(std::optional<ProcessRole> role, const std::string& dmlc_role,
                                const Environment::Map& more = {}) {
  Environment::Map entries = kJob;
  if (!dmlc_role.empty()) entries["DMLC_ROLE"] = dmlc_role;
  entries.insert(more.begin(), more.end());
  ClusterWish wish;
  wish.role = role;
  return Plan(wish, entries);
}

std::vector<Role> RolesOf(const ps::Result<ProcessPlan>& plan) {
  std::vector<Role> roles;
  for (const ps::Config& node : plan.value().nodes) roles.push_back(node.role);
  return roles;
}

const std::vector<Role> kServer = {Role::kServer};
const std::vector<Role> kWorker = {Role::kWorker};
const std::vector<Role> kBoth = {Role::kServer, Role::kWorker};

TEST(MultiversoProcessPlanTest, TheFlagDecidesTheRoleInAJobElseTheVariable) {
  EXPECT_EQ(RolesOf(PlanJob({}, "worker")), kWorker);
  EXPECT_EQ(RolesOf(PlanJob({}, "server")), kServer);
  EXPECT_EQ(RolesOf(PlanJob({}, "joint")), kBoth);
  EXPECT_EQ(RolesOf(PlanJob(ProcessRole::kWorker, "server")), kWorker);
  EXPECT_EQ(RolesOf(PlanJob(ProcessRole::kServer, "joint")), kServer);
  EXPECT_EQ(RolesOf(PlanJob(ProcessRole::kAll, "worker")), kBoth);
  EXPECT_EQ(RolesOf(PlanJob(ProcessRole::kAll, "")), kBoth);
}

TEST(MultiversoProcessPlanTest, TheSchedulerIsItWhateverTheFlagSays) {
  for (const auto role : {ProcessRole::kAll, ProcessRole::kWorker, ProcessRole::kNone})
    EXPECT_EQ(RolesOf(PlanJob(role, "scheduler")), std::vector<Role>{Role::kScheduler});
}

TEST(MultiversoProcessPlanTest, WithoutARoleAProcessIsNoNode) {
  const auto plan = PlanJob(ProcessRole::kNone, "worker");
  EXPECT_EQ(plan.value().kind, ProcessPlan::kNoNode);
  EXPECT_TRUE(plan.value().nodes.empty());
}

TEST(MultiversoProcessPlanTest, NodesHaveTheJobsSettingsAndPortsOfTheirOwn) {
  const auto plan = PlanJob({}, "joint", {{"DMLC_RANK", "1"}, {"DMLC_PORT", "700"}, {"PS_VERBOSE", "1"}});
  for (const ps::Config& node : plan.value().nodes) {
    EXPECT_EQ(node.num_workers, 3);
    EXPECT_EQ(node.num_servers, 2);
    EXPECT_EQ(node.root_uri, "10.0.0.1");
    EXPECT_EQ(node.rank_wish, 1);
    EXPECT_EQ(node.verbose, 1);
  }
  EXPECT_EQ(plan.value().nodes[0].port, 700);
  EXPECT_EQ(plan.value().nodes[1].port, 0);
  EXPECT_EQ(PlanJob({}, "worker", {{"DMLC_PORT", "700"}}).value().nodes[0].port, 700);
}

TEST(MultiversoProcessPlanTest, WhatIsMissingOfAJobIsNamed) {
  EXPECT_NE(PlanJob({}, "").status().message().find("DMLC_ROLE is not set"), std::string::npos);
  EXPECT_NE(PlanJob({}, "slave").status().message().find("DMLC_ROLE"), std::string::npos);
  const auto plan = Plan({}, {{"DMLC_ROLE", "joint"}});
  EXPECT_NE(plan.status().message().find("DMLC_NUM_WORKER is not set"), std::string::npos);
}

ClusterWish Machines(const std::vector<std::string>& hosts, const std::vector<std::string>& local) {
  ClusterWish wish;
  for (const std::string& host : hosts) wish.machines.push_back({host, 55555});
  wish.local_addresses = local;
  return wish;
}

TEST(MultiversoProcessPlanTest, ALineOfTheMachineFileIsTheRankAndTheFirstHasTheScheduler) {
  const std::vector<std::string> hosts = {"10.0.0.7", "10.0.0.3", "10.0.0.5"};
  const auto first = Plan(Machines(hosts, {"127.0.0.1", "10.0.0.7"}), {});
  EXPECT_EQ(RolesOf(first), (std::vector<Role>{Role::kScheduler, Role::kServer, Role::kWorker}));
  const auto third = Plan(Machines(hosts, {"10.0.0.5"}), {{"PS_JOB_TOKEN", "secret"}});
  EXPECT_EQ(RolesOf(third), kBoth);
  for (const ps::Config& node : third.value().nodes) {
    EXPECT_EQ(node.rank_wish, 2);
    EXPECT_EQ(node.num_workers, 3);
    EXPECT_EQ(node.num_servers, 3);
    EXPECT_EQ(node.root_uri, "10.0.0.7");
    EXPECT_EQ(node.root_port, 55555);
    EXPECT_EQ(node.node_host, "10.0.0.5");
    EXPECT_EQ(node.job_token, "secret");
  }
}

TEST(MultiversoProcessPlanTest, AMachineIsFoundByItsAddressOrByWhatItIsTold) {
  const std::vector<std::string> hosts = {"127.0.0.1", "127.0.0.2"};
  EXPECT_EQ(
      Plan(Machines(hosts, {"127.0.0.1"}), {{"DMLC_NODE_HOST", "127.0.0.2"}}).value().nodes[0].rank_wish, 1);
  ClusterWish bound = Machines(hosts, {"127.0.0.1"});
  bound.rank = 1;
  EXPECT_EQ(Plan(bound, {}).value().nodes[0].rank_wish, 1);
  bound.rank = 2;
  EXPECT_NE(Plan(bound, {}).status().message().find("rank 2 of 2"), std::string::npos);
  EXPECT_NE(Plan(Machines(hosts, {"10.0.0.1", "::1"}), {}).status().message().find("10.0.0.1, ::1"),
            std::string::npos);
  EXPECT_NE(Plan(Machines(hosts, hosts), {}).status().message().find("lines 1 and 2"), std::string::npos);
}

TEST(MultiversoProcessPlanTest, OtherRolesThanBothNeedAJobThatSaysWhoIsWhat) {
  ClusterWish wish = Machines({"127.0.0.1"}, {"127.0.0.1"});
  wish.role = ProcessRole::kServer;
  EXPECT_NE(Plan(wish, {}).status().message().find("DMLC_ROLE"), std::string::npos);
  wish.machines.clear();
  EXPECT_NE(Plan(wish, {}).status().message().find("by itself"), std::string::npos);
}

TEST(MultiversoProcessPlanTest, AJobGoesBeforeAMachineFile) {
  Environment::Map entries = kJob;
  entries["DMLC_ROLE"] = "worker";
  EXPECT_EQ(RolesOf(Plan(Machines({"127.0.0.1"}, {"127.0.0.1"}), entries)), kWorker);
}

TEST(MultiversoProcessPlanTest, WithNeitherAProcessIsAlone) {
  EXPECT_EQ(Plan({}, {}).value().kind, ProcessPlan::kAlone);
  EXPECT_EQ(Plan({}, {{"DMLC_ROLE", ""}, {"PS_VERBOSE", "0"}}).value().kind, ProcessPlan::kAlone);
  ClusterWish none;
  none.role = ProcessRole::kNone;
  EXPECT_EQ(Plan(none, {}).value().kind, ProcessPlan::kNoNode);
}

TEST(MultiversoProcessPlanTest, AMachineFileIsOneAddressALine) {
  const auto machines = ParseMachines("10.0.0.1\n\n  fe80::1 # the second\nnode-3\r\n", 7000).value();
  ASSERT_EQ(machines.size(), 3u);
  EXPECT_EQ(machines[0], (ps::Address{"10.0.0.1", 7000}));
  EXPECT_EQ(machines[1].host, "fe80::1");
  EXPECT_EQ(machines[2].host, "node-3");
  EXPECT_NE(ParseMachines("10.0.0.1\n10.0.0.2 server", 1).status().message().find("line 2"),
            std::string::npos);
  EXPECT_NE(ParseMachines("http://a", 1).status().message().find("line 1"), std::string::npos);
  EXPECT_NE(ParseMachines("# none\n", 1).status().message().find("no addresses"), std::string::npos);
  EXPECT_NE(ParseMachines("10.0.0.1", 0).status().message().find("port=0"), std::string::npos);
}

TEST(MultiversoProcessPlanTest, RolesAreReadByName) {
  EXPECT_EQ(ParseProcessRole("default").value(), ProcessRole::kAll);
  EXPECT_EQ(ParseProcessRole("none").value(), ProcessRole::kNone);
  EXPECT_NE(ParseProcessRole("both").status().message().find("default, worker, server and none"),
            std::string::npos);
}

}  // namespace
}  // namespace multiverso

#include "table/multiverso/process_plan.h"

#include <algorithm>
#include <sstream>
#include <utility>

namespace multiverso {
namespace {

using ps::Config;
using ps::Environment;
using ps::Result;
using ps::Role;
using ps::Status;

struct RoleText {
  const char* text;
  ProcessRole role;
};
constexpr RoleText kRoleTexts[] = {{"default", ProcessRole::kAll},
                                   {"worker", ProcessRole::kWorker},
                                   {"server", ProcessRole::kServer},
                                   {"none", ProcessRole::kNone}};

bool Includes(ProcessRole role, ProcessRole part) {
  return (static_cast<int>(role) & static_cast<int>(part)) != 0;
}

std::string ValueOf(const Environment& environment, const char* name) {
  const char* const text = environment.find(name);
  return text == nullptr ? "" : text;
}

bool IsJobGiven(const Environment& environment) {
  const char* const names[] = {"DMLC_ROLE", "DMLC_NUM_WORKER", "DMLC_NUM_SERVER", "DMLC_PS_ROOT_URI",
                               "DMLC_PS_ROOT_PORT"};
  return std::any_of(std::begin(names), std::end(names),
                     [&environment](const char* name) { return !ValueOf(environment, name).empty(); });
}

// All that is set; what the library has told the program is no wish of its user.
Environment::Map EntriesOf(const Environment& environment) {
  Environment::Map entries;
  for (const std::string& name : environment.Names()) {
    if (environment.IsPublished(name)) continue;
    if (const char* const text = environment.find(name.c_str()); text != nullptr) entries[name] = text;
  }
  return entries;
}

Result<Config> NodeOf(Environment::Map entries, const char* role) {
  entries["DMLC_ROLE"] = role;
  return Config::FromEnvironment(Environment(std::move(entries), Environment::Fallback::kMapOnly));
}

// Nodes of one process have ports of their own.
Result<ProcessPlan> PlanNodes(const Environment::Map& entries, ProcessRole role, bool has_scheduler) {
  ProcessPlan plan;
  plan.kind = ProcessPlan::kCluster;
  Environment::Map portless = entries;
  portless.erase("DMLC_PORT");
  portless.erase("PS_USE_PORT");
  std::vector<Result<Config>> nodes;
  if (has_scheduler) nodes.push_back(NodeOf(portless, "scheduler"));
  if (Includes(role, ProcessRole::kServer)) nodes.push_back(NodeOf(entries, "server"));
  if (Includes(role, ProcessRole::kWorker))
    nodes.push_back(NodeOf(role == ProcessRole::kAll ? portless : entries, "worker"));
  for (const Result<Config>& node : nodes) {
    PS_RETURN_IF_ERROR(node.status());
    plan.nodes.push_back(node.value());
  }
  return plan;
}

Result<ProcessPlan> PlanOfJob(const ClusterWish& wish, const Environment& environment) {
  const std::string role_text = ValueOf(environment, "DMLC_ROLE");
  const Environment::Map entries = EntriesOf(environment);
  if (role_text == "scheduler") return PlanNodes(entries, ProcessRole::kNone, true);
  std::optional<ProcessRole> role = wish.role;
  if (!role.has_value() && role_text == "joint") role = ProcessRole::kAll;
  if (role == ProcessRole::kNone) {
    ProcessPlan none;
    none.kind = ProcessPlan::kNoNode;
    return none;
  }
  if (!role.has_value()) {
    const Result<Config> said = Config::FromEnvironment(environment);  // says what is wrong with it
    PS_RETURN_IF_ERROR(said.status());
    role = said.value().role == Role::kServer ? ProcessRole::kServer : ProcessRole::kWorker;
  }
  return PlanNodes(entries, *role, false);
}

std::string ListOf(const std::vector<std::string>& texts) {
  std::string list;
  for (const std::string& text : texts) list += (list.empty() ? "" : ", ") + text;
  return list;
}

Result<int> RankOf(const ClusterWish& wish, const std::string& own_host) {
  const auto size = static_cast<int>(wish.machines.size());
  if (wish.rank >= 0) {
    if (wish.rank < size) return wish.rank;
    return Status::InvalidArgument("MV_NetBind: rank " + std::to_string(wish.rank) + " of " +
                                   std::to_string(size) + " processes");
  }
  std::vector<std::string> own = wish.local_addresses;
  if (!own_host.empty()) own = {own_host};
  int rank = -1;
  for (int i = 0; i < size; ++i) {
    const std::string& host = wish.machines[static_cast<std::size_t>(i)].host;
    if (std::find(own.begin(), own.end(), host) == own.end()) continue;
    if (rank >= 0) {
      return Status::InvalidArgument("machine_file: lines " + std::to_string(rank + 1) + " and " +
                                     std::to_string(i + 1) +
                                     " are both addresses of this machine; DMLC_NODE_HOST says which it is");
    }
    rank = i;
  }
  if (rank >= 0) return rank;
  return Status::InvalidArgument("machine_file: no line is an address of this machine, which has " +
                                 ListOf(own) + " (DMLC_NODE_HOST)");
}

Result<ProcessPlan> PlanOfMachines(const ClusterWish& wish, const Environment& environment) {
  if (wish.role.has_value() && *wish.role != ProcessRole::kAll) {
    return Status::InvalidArgument(
        "ps_role: all processes of a machine list are worker and server (default); for others say the roles "
        "by DMLC_ROLE, DMLC_NUM_WORKER, DMLC_NUM_SERVER, DMLC_PS_ROOT_URI and DMLC_PS_ROOT_PORT");
  }
  const Result<int> rank = RankOf(wish, ValueOf(environment, "DMLC_NODE_HOST"));
  PS_RETURN_IF_ERROR(rank.status());
  const ps::Address& root = wish.machines.front();
  const std::string size = std::to_string(wish.machines.size());
  Environment::Map entries = EntriesOf(environment);
  entries["DMLC_NUM_WORKER"] = size;
  entries["DMLC_NUM_SERVER"] = size;
  entries["DMLC_PS_ROOT_URI"] = root.host;
  entries["DMLC_PS_ROOT_PORT"] = std::to_string(root.port);
  entries["DMLC_RANK"] = std::to_string(rank.value());
  entries["DMLC_NODE_HOST"] = wish.machines[static_cast<std::size_t>(rank.value())].host;
  return PlanNodes(entries, ProcessRole::kAll, rank.value() == 0);
}

}  // namespace

Result<ProcessRole> ParseProcessRole(const std::string& text) {
  for (const RoleText& known : kRoleTexts) {
    if (text == known.text) return known.role;
  }
  return Status::InvalidArgument("ps_role=" + text + ": there are default, worker, server and none");
}

bool ProcessPlan::Has(Role role) const {
  return std::any_of(nodes.begin(), nodes.end(), [role](const Config& node) { return node.role == role; });
}

Result<ProcessPlan> PlanProcess(const ClusterWish& wish, const Environment& environment) {
  if (IsJobGiven(environment)) return PlanOfJob(wish, environment);
  if (!wish.machines.empty()) return PlanOfMachines(wish, environment);
  if (wish.role == ProcessRole::kWorker || wish.role == ProcessRole::kServer) {
    return Status::InvalidArgument(
        "ps_role: a process by itself is worker and server; several find each other by DMLC_* variables, "
        "-machine_file, or MV_NetBind and MV_NetConnect");
  }
  ProcessPlan plan;
  if (wish.role == ProcessRole::kNone) plan.kind = ProcessPlan::kNoNode;
  return plan;
}

Result<std::vector<ps::Address>> ParseMachines(const std::string& text, int port) {
  if (port < 1 || port > 65535)
    return Status::InvalidArgument("port=" + std::to_string(port) + ": ports are 1 to 65535");
  std::vector<ps::Address> machines;
  std::istringstream lines(text);
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    std::istringstream words(line.substr(0, line.find('#')));
    std::string word;
    if (!(words >> word)) continue;
    const Result<std::string> host = ps::ParseHost(word);
    if (!host.ok())
      return Status::InvalidArgument("machine_file: line " + std::to_string(number) + ": " +
                                     host.status().message());
    if (std::string more; words >> more)
      return Status::InvalidArgument("machine_file: line " + std::to_string(number) +
                                     ": one address a line, not also '" + more + "'");
    machines.push_back({host.value(), port});
  }
  if (machines.empty()) return Status::InvalidArgument("machine_file: it has no addresses");
  return machines;
}

}  // namespace multiverso

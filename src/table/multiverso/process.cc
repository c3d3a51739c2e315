#include "ps/multiverso/process.h"

#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "base/network.h"
#include "base/never_destroyed.h"
#include "ps/environment.h"
#include "ps/status.h"
#include "table/multiverso/process_plan.h"
#include "table/multiverso/session.h"

namespace multiverso {
namespace {

using ps::Result;
using ps::Status;

const std::string kText;
const bool& kSync = internal::DefineFlag("sync", false, "");
const bool& kAveraging = internal::DefineFlag("ma", false, "");
const std::string& kRole = internal::DefineFlag("ps_role", kText, "");
const std::string& kRule = internal::DefineFlag("updater_type", kText, "");
const std::string& kMachineFile = internal::DefineFlag("machine_file", kText, "");
const int& kPort = internal::DefineFlag("port", 0, "");

// What MV_NetBind and MV_NetConnect have said.
struct Net {
  int rank = -1;
  std::map<int, ps::Address> endpoints;
};

Net& TheNet() {
  static ps::NeverDestroyed<Net> net;
  return net.value;
}

// Without a port it has that of the flag.
Result<ps::Address> ParseEndpoint(const char* endpoint) {
  const std::string text = endpoint == nullptr ? "" : endpoint;
  const Result<std::string> host = ps::ParseHost(text);
  if (host.ok()) return ps::Address{host.value(), kPort};
  return ps::ParseAddress(text);
}

void AddEndpoint(const char* call, int rank, const char* endpoint) {
  const auto fail = [&](const std::string& why) {
    ps::ThrowIfError(
        Status::InvalidArgument(std::string(call) + ": rank " + std::to_string(rank) + ": " + why));
  };
  if (rank < 0) fail("ranks begin with 0");
  const Result<ps::Address> address = ParseEndpoint(endpoint);
  if (!address.ok()) fail(address.status().message());
  const auto [at, is_new] = TheNet().endpoints.emplace(rank, address.value());
  if (!is_new && at->second != address.value()) fail("it is " + at->second.ToString() + " already");
}

std::vector<ps::Address> MachinesOfCalls(const Net& net) {
  std::vector<ps::Address> machines;
  for (const auto& [rank, address] : net.endpoints) {
    if (rank != static_cast<int>(machines.size()))
      ps::ThrowIfError(Status::InvalidArgument("MV_NetConnect: rank " + std::to_string(machines.size()) +
                                               " is missing; ranks go from 0 to the number of processes"));
    machines.push_back(address);
  }
  return machines;
}

std::vector<ps::Address> MachinesOfFile(const std::string& name) {
  std::ifstream file(name);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) ps::ThrowIfError(Status::NotFound("machine_file: " + name + " can not be read"));
  return ParseMachines(text.str(), kPort).value();
}

std::vector<std::string> LocalAddresses() {
  std::vector<std::string> addresses;
  for (const ps::InterfaceInfo& interface : ps::ListInterfaces()) addresses.push_back(interface.address);
  char name[HOST_NAME_MAX + 1] = {};
  if (::gethostname(name, HOST_NAME_MAX) == 0) addresses.emplace_back(name);
  return addresses;
}

ClusterWish WishOfFlags() {
  ClusterWish wish;
  if (internal::IsFlagSet("ps_role")) wish.role = ParseProcessRole(kRole).value();
  const Net& net = TheNet();
  if (!net.endpoints.empty()) {
    if (net.rank < 0)
      ps::ThrowIfError(Status::InvalidArgument("MV_NetConnect: MV_NetBind has not said which rank this is"));
    wish.machines = MachinesOfCalls(net);
    wish.rank = net.rank;
  } else if (!kMachineFile.empty()) {
    wish.machines = MachinesOfFile(kMachineFile);
  }
  if (!wish.machines.empty()) wish.local_addresses = LocalAddresses();
  return wish;
}

// Multiverso's rules, and the store's.
constexpr std::pair<const char*, const char*> kRules[] = {
    {"default", "add"},   {"sgd", "sgd"},         {"momentum_sgd", "smooth"}, {"adagrad", "adagrad_worker"},
    {"dcasgd", "dcasgd"}, {"dcasgda", "dcasgd_a"}};

std::string RuleOf(const std::string& updater_type) {
  std::string choices;
  for (const auto& [name, rule] : kRules) {
    if (updater_type == name) return rule;
    choices += (choices.empty() ? "" : ", ") + std::string(name);
  }
  throw ps::Error(Status::InvalidArgument("updater_type=" + updater_type + ": there are " + choices));
}

TableDefaults DefaultsOfFlags() {
  TableDefaults defaults;
  defaults.is_sync = kSync;
  defaults.has_tables = !kAveraging;
  defaults.rule = RuleOf(kRule);
  return defaults;
}

const Membership& Members() { return Session::Current().membership(); }

// The rank of the process that has this node.
int RankOf(const char* call, int ps::ProcessMembers::*node, int id) {
  const std::vector<ps::ProcessMembers>& processes = Members().processes;
  const auto found = std::find_if(processes.begin(), processes.end(),
                                  [&](const ps::ProcessMembers& process) { return process.*node == id; });
  if (id < 0 || found == processes.end())
    ps::ThrowIfError(Status::InvalidArgument(std::string(call) + ": there is no " + std::to_string(id)));
  return static_cast<int>(found - processes.begin());
}

}  // namespace

void MV_Init(int* argc, char* argv[]) {
  ParseCMDFlags(argc, argv);
  const TableDefaults defaults = DefaultsOfFlags();
  const ProcessPlan plan = PlanProcess(WishOfFlags(), *ps::Environment::Get()).value();
  const char* const name = argc != nullptr && argv != nullptr && *argc > 0 ? argv[0] : nullptr;
  // The program's own code is for workers and servers.
  if (!Session::Current().Start(plan, defaults, name)) std::exit(EXIT_SUCCESS);
}

void MV_ShutDown(bool /*finalize_net*/) { Session::Current().End(); }
void MV_Barrier() { Session::Current().Barrier(); }

int MV_Rank() { return Members().rank; }
int MV_Size() { return static_cast<int>(Members().processes.size()); }
int MV_NumWorkers() { return Members().num_workers; }
int MV_NumServers() { return Members().num_servers; }
int MV_WorkerId() { return Members().worker_id(); }
int MV_ServerId() { return Members().server_id(); }
int MV_WorkerIdToRank(int worker_id) {
  return RankOf("MV_WorkerIdToRank", &ps::ProcessMembers::worker, worker_id);
}
int MV_ServerIdToRank(int server_id) {
  return RankOf("MV_ServerIdToRank", &ps::ProcessMembers::server, server_id);
}

int MV_NetBind(int rank, const char* endpoint) {
  AddEndpoint("MV_NetBind", rank, endpoint);
  TheNet().rank = rank;
  return 0;
}

int MV_NetConnect(const int* ranks, const char* const endpoints[], int size) {
  for (int i = 0; i < size; ++i) AddEndpoint("MV_NetConnect", ranks[i], endpoints[i]);
  return 0;
}

void MV_NetFinalize() { TheNet() = Net(); }

void internal::Aggregate(const ps::TensorView& values) { Session::Current().Aggregate(values); }

}  // namespace multiverso

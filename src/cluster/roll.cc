#include "cluster/roll.h"

#include <algorithm>
#include <sstream>

#include "base/parse.h"

namespace ps {
namespace {

constexpr int kMaxRank = 65535;

std::string Describe(const ProcessMembers& process) {
  std::string text;
  if (process.worker >= 0) text += "worker " + std::to_string(process.worker);
  if (process.server >= 0)
    text += (text.empty() ? "" : " and ") + ("server " + std::to_string(process.server));
  return text.empty() ? "neither a worker nor a server" : text;
}

}  // namespace

Roll::Roll(int num_workers, int num_servers)
    : workers_(static_cast<std::size_t>(num_workers)), servers_(static_cast<std::size_t>(num_servers)) {}

Status Roll::Add(const ProcessMembers& process) {
  const auto refused = [&process](const char* why) {
    return Status::InvalidArgument("a process says it has " + Describe(process) + ", " + why);
  };
  if (process.worker < 0 && process.server < 0) return refused("so it is none of this job");
  if (process.worker >= static_cast<int>(workers_.size()) ||
      process.server >= static_cast<int>(servers_.size()))
    return refused("which there is not");
  Place* const worker = process.worker < 0 ? nullptr : &workers_[static_cast<std::size_t>(process.worker)];
  Place* const server = process.server < 0 ? nullptr : &servers_[static_cast<std::size_t>(process.server)];
  if ((worker != nullptr && worker->is_known) || (server != nullptr && server->is_known))
    return refused("which another one has");
  if (worker != nullptr) *worker = {true, process.server};
  if (server != nullptr) *server = {true, process.worker};
  return Status::Ok();
}

bool Roll::complete() const {
  const auto is_known = [](const Place& place) { return place.is_known; };
  return std::all_of(workers_.begin(), workers_.end(), is_known) &&
         std::all_of(servers_.begin(), servers_.end(), is_known);
}

std::string Roll::Missing() const {
  std::string missing;
  const auto list = [&missing](const std::vector<Place>& places, const char* role) {
    for (std::size_t rank = 0; rank < places.size(); ++rank) {
      if (!places[rank].is_known) missing += (missing.empty() ? "" : ", ") + (role + std::to_string(rank));
    }
  };
  list(workers_, "worker ");
  list(servers_, "server ");
  return missing;
}

std::vector<ProcessMembers> Roll::InOrder() const {
  std::vector<ProcessMembers> processes;
  for (std::size_t rank = 0; rank < workers_.size(); ++rank) {
    if (workers_[rank].is_known) processes.push_back({static_cast<int>(rank), workers_[rank].other});
  }
  for (std::size_t rank = 0; rank < servers_.size(); ++rank) {
    if (servers_[rank].is_known && servers_[rank].other < 0)
      processes.push_back({-1, static_cast<int>(rank)});
  }
  return processes;
}

std::string EncodeProcesses(const std::vector<ProcessMembers>& processes) {
  std::ostringstream text;
  for (const ProcessMembers& process : processes) text << process.worker << ' ' << process.server << '\n';
  return text.str();
}

Result<std::vector<ProcessMembers>> DecodeProcesses(std::string_view text) {
  std::vector<ProcessMembers> processes;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    const std::size_t space = line.find(' ');
    const auto worker = ParseInteger(line.substr(0, space), -1, kMaxRank);
    const auto server =
        space == std::string::npos ? std::nullopt : ParseInteger(line.substr(space + 1), -1, kMaxRank);
    if (!worker.has_value() || !server.has_value())
      return Status::InvalidArgument("no list of processes: '" + line + "'");
    processes.push_back({static_cast<int>(*worker), static_cast<int>(*server)});
  }
  return processes;
}

}  // namespace ps

#include "van/membership.h"

#include <algorithm>
#include <climits>
#include <set>
#include <utility>

#include "base/address.h"
#include "base/natural_order.h"
#include "base/version.h"
#include "message/node_id.h"
#include "ps/base.h"

namespace ps {
namespace {

constexpr int kKeyBits = static_cast<int>(8 * sizeof(Key));
// A cluster may have thousands of nodes; a line names so many of a role.
constexpr size_t kMostNamed = 16;

int Sign(int a, int b) { return a < b ? -1 : (b < a ? 1 : 0); }

// The order of "R. Ranks" but for arrival. Nodes with a key, and those with a fixed port, come first.
int CompareNodes(const Registration& a, const Registration& b) {
  int order = Sign(a.node_key.empty(), b.node_key.empty());
  if (order == 0) order = NaturalCompare(a.node_key, b.node_key);
  if (order == 0) order = HostCompare(a.node.hostname, b.node.hostname);
  if (order == 0) order = Sign(a.fixed_port ? a.node.port : INT_MAX, b.fixed_port ? b.node.port : INT_MAX);
  if (order == 0) order = Sign(a.node.customer_id, b.node.customer_id);
  return order;
}

// Hands out each rank once.
class RankTable {
 public:
  explicit RankTable(const std::vector<Registration>& registrations)
      : registrations_(registrations), owner_(registrations.size(), -1), rank_(registrations.size(), -1) {}

  bool HasRank(int node) const { return rank_[node] >= 0; }

  // Gives `rank` to `node` if it is one and free. Notes when the owner was only there first.
  void Claim(int node, int rank) {
    if (HasRank(node) || rank < 0 || rank >= static_cast<int>(owner_.size())) return;
    if (owner_[rank] >= 0) {
      const bool tie = CompareNodes(registrations_[node], registrations_[owner_[rank]]) == 0;
      arrival_decided_ = arrival_decided_ || (tie && registrations_[owner_[rank]].rank_wish != rank);
      return;
    }
    owner_[rank] = node;
    rank_[node] = rank;
  }

  // Fills the free ranks in this order.
  void Fill(const std::vector<int>& order) {
    int rank = 0;
    int previous = -1;
    for (int node : order) {
      if (HasRank(node)) continue;
      const bool tie = previous >= 0 && CompareNodes(registrations_[previous], registrations_[node]) == 0;
      arrival_decided_ = arrival_decided_ || tie;
      while (owner_[rank] >= 0) ++rank;
      Claim(node, rank);
      previous = node;
    }
  }

  bool arrival_decided() const { return arrival_decided_; }
  std::vector<int> TakeRanks() { return std::move(rank_); }

 private:
  const std::vector<Registration>& registrations_;
  std::vector<int> owner_;  // by rank; -1: free
  std::vector<int> rank_;   // by node; -1: none yet
  bool arrival_decided_ = false;
};

std::string Name(const Node& node) {
  return std::string(RoleName(node.role)) + " at " + Address{node.hostname, node.port}.ToString();
}

// "the scheduler at 10.0.0.1:8000": there is one.
std::string SchedulerName(const Node& scheduler) { return "the " + Name(scheduler); }

std::string FullText(Node::Role role, int places) {
  return "the job already has its " + std::to_string(places) + " " + RoleName(role) + "s";
}

std::string WishText(const Registration& registration) {
  return Name(registration.node) + " asks for rank " + std::to_string(registration.rank_wish) +
         " (DMLC_RANK)";
}

// Where all that are there have asked for ranks, as those of a launcher do; else nobody knows yet.
std::string MissingRanks(const std::vector<Registration>& there, size_t places) {
  std::set<int> ranks;
  for (const Registration& registration : there) ranks.insert(registration.rank_wish);
  if (ranks.count(-1) != 0) return "";
  std::string text;
  size_t missing = 0;
  for (size_t rank = 0; rank < places; ++rank) {
    if (ranks.count(static_cast<int>(rank)) != 0) continue;
    if (missing < kMostNamed) text += (missing == 0 ? "" : ", ") + std::to_string(rank);
    ++missing;
  }
  if (missing > kMostNamed) text += " and " + std::to_string(missing - kMostNamed) + " more";
  return (missing == 1 ? ", missing rank " : ", missing ranks ") + text;
}

}  // namespace

std::vector<int> AssignRanks(const std::vector<Registration>& registrations, bool* arrival_decided) {
  std::vector<int> order(registrations.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return CompareNodes(registrations[a], registrations[b]) < 0; });
  RankTable table(registrations);
  // Arrival decides nothing here: the same wish twice is refused at registration.
  for (size_t i = 0; i < order.size(); ++i) table.Claim(static_cast<int>(i), registrations[i].rank_wish);
  for (int node : order) table.Claim(node, registrations[node].previous_rank);
  table.Fill(order);
  if (arrival_decided != nullptr) *arrival_decided = table.arrival_decided();
  return table.TakeRanks();
}

Membership::Membership(int num_workers, int num_servers, ClusterSettings settings, Node scheduler,
                       uint64_t job_id)
    : num_workers_(num_workers), num_servers_(num_servers) {
  roster_.epoch = 1;
  roster_.job_id = job_id;
  roster_.settings = settings;
  roster_.nodes.push_back(std::move(scheduler));
  CompleteIfFull();
}

bool Membership::complete() const { return complete_; }

const Roster& Membership::roster() const { return roster_; }

bool Membership::arrival_decided() const { return arrival_decided_; }

bool Membership::IsRegistered(uint64_t incarnation) const {
  const auto is_it = [incarnation](const Registration& r) { return r.node.incarnation == incarnation; };
  return std::any_of(workers_.begin(), workers_.end(), is_it) ||
         std::any_of(servers_.begin(), servers_.end(), is_it);
}

Membership::Answer Membership::Register(const Registration& registration) {
  if (IsRegistered(registration.node.incarnation))
    return {complete_ ? Answer::kKnown : Answer::kWait, Status()};
  Status refusal = Check(registration);
  if (refusal.ok() && complete_) return {Answer::kLate, Status()};
  if (refusal.ok()) refusal = CheckPlace(registration);
  if (!refusal.ok()) return {Answer::kReject, refusal};
  Of(registration.node.role).push_back(registration);
  CompleteIfFull();
  return {complete_ ? Answer::kComplete : Answer::kWait, Status()};
}

void Membership::Replace(int node, const Registration& newcomer, bool is_recovery) {
  Node fresh = newcomer.node;
  fresh.id = node;
  fresh.is_recovery = is_recovery;
  for (Registration& member : Of(fresh.role)) {
    if (member.node.id != node) continue;
    member = newcomer;
    member.node = fresh;
  }
  Remove(node);
  const auto next = std::find_if(roster_.nodes.begin(), roster_.nodes.end(),
                                 [node](const Node& member) { return member.id > node; });
  roster_.nodes.insert(next, std::move(fresh));
}

void Membership::Remove(int node) {
  const auto is_it = [node](const Node& member) { return member.id == node; };
  roster_.nodes.erase(std::remove_if(roster_.nodes.begin(), roster_.nodes.end(), is_it), roster_.nodes.end());
  ++roster_.epoch;
}

bool Membership::Forget(uint64_t incarnation) {
  if (complete_) return false;
  const auto is_it = [incarnation](const Registration& r) { return r.node.incarnation == incarnation; };
  bool found = false;
  for (auto* list : {&workers_, &servers_}) {
    const auto end = std::remove_if(list->begin(), list->end(), is_it);
    found = found || end != list->end();
    list->erase(end, list->end());
  }
  return found;
}

Status Membership::Check(const Registration& registration) const {
  if (registration.node.role == Node::SCHEDULER) {
    return Status::InvalidArgument("a scheduler cannot register: " + SchedulerName(scheduler()) +
                                   " leads this job");
  }
  PS_RETURN_IF_ERROR(CheckBuild(registration));
  PS_RETURN_IF_ERROR(CheckCounts(registration));
  return CheckRank(registration);
}

Status Membership::CheckBuild(const Registration& registration) const {
  const std::string who = Name(registration.node);
  if (registration.protocol != kProtocolVersion) {
    return Status::InvalidArgument(who + " speaks protocol version " + std::to_string(registration.protocol) +
                                   ", " + SchedulerName(scheduler()) + " speaks " +
                                   std::to_string(kProtocolVersion) +
                                   ": all nodes of a job need the same release");
  }
  if (registration.key_bits != kKeyBits) {
    return Status::InvalidArgument(who + " has keys of " + std::to_string(registration.key_bits) + " bits, " +
                                   SchedulerName(scheduler()) + " has keys of " + std::to_string(kKeyBits) +
                                   ": build all with the same USE_KEY32");
  }
  const int64_t chunk_bytes = roster_.settings.chunk_bytes;
  if (registration.chunk_bytes != chunk_bytes) {
    return Status::InvalidArgument(who + " has PS_CHUNK_BYTES=" + std::to_string(registration.chunk_bytes) +
                                   ", " + SchedulerName(scheduler()) + " has " + std::to_string(chunk_bytes));
  }
  return Status::Ok();
}

Status Membership::CheckCounts(const Registration& registration) const {
  const auto compare = [&](const char* variable, int theirs, int ours) {
    if (theirs == ours) return Status::Ok();
    return Status::InvalidArgument(Name(registration.node) + " has " + variable + "=" +
                                   std::to_string(theirs) + ", " + SchedulerName(scheduler()) + " has " +
                                   std::to_string(ours));
  };
  PS_RETURN_IF_ERROR(compare("DMLC_NUM_WORKER", registration.num_workers, num_workers_));
  return compare("DMLC_NUM_SERVER", registration.num_servers, num_servers_);
}

// A wish has to be a rank.
Status Membership::CheckRank(const Registration& registration) const {
  const Node::Role role = registration.node.role;
  const int places = Places(role);
  const int wish = registration.rank_wish;
  if (wish == -1 || (wish >= 0 && wish < places)) return Status::Ok();
  if (static_cast<int>(Of(role).size()) >= places) return Status::ResourceExhausted(FullText(role, places));
  return Status::InvalidArgument(WishText(registration) + "; ranks of " + RoleName(role) + "s are 0 to " +
                                 std::to_string(places - 1));
}

// Before the roster is made: there is room, and nobody has asked for the same rank.
Status Membership::CheckPlace(const Registration& registration) const {
  const Node::Role role = registration.node.role;
  const std::vector<Registration>& there = Of(role);
  if (static_cast<int>(there.size()) >= Places(role)) {
    return Status::ResourceExhausted(FullText(role, Places(role)));
  }
  const int wish = registration.rank_wish;
  const auto owner = std::find_if(there.begin(), there.end(), [wish](const Registration& r) {
    return wish != -1 && r.rank_wish == wish;
  });
  if (owner == there.end()) return Status::Ok();
  return Status::AlreadyExists(WishText(registration) + ", which " + Name(owner->node) + " asked for before");
}

void Membership::CompleteIfFull() {
  if (static_cast<int>(workers_.size()) < num_workers_ || static_cast<int>(servers_.size()) < num_servers_)
    return;
  for (Node::Role role : {Node::SERVER, Node::WORKER}) {
    bool decided = false;
    const std::vector<int> ranks = AssignRanks(Of(role), &decided);
    arrival_decided_ = arrival_decided_ || decided;
    for (size_t i = 0; i < ranks.size(); ++i) {
      Node& node = Of(role)[i].node;
      node.id = role == Node::SERVER ? ServerIdOfRank(ranks[i]) : WorkerIdOfRank(ranks[i]);
      node.is_recovery = false;
      roster_.nodes.push_back(node);
    }
  }
  std::sort(roster_.nodes.begin(), roster_.nodes.end(),
            [](const Node& a, const Node& b) { return a.id < b.id; });
  complete_ = true;
}

std::string Membership::ProgressOf(Node::Role role) const {
  const std::vector<Registration>& there = Of(role);
  const auto places = static_cast<size_t>(Places(role));
  std::string text =
      std::string(RoleName(role)) + "s " + std::to_string(there.size()) + "/" + std::to_string(places);
  if (there.empty() || there.size() >= places) return text;
  for (size_t i = 0; i < std::min(there.size(), kMostNamed); ++i) {
    text += (i == 0 ? " (" : ", ") + Address{there[i].node.hostname, there[i].node.port}.ToString();
  }
  if (there.size() > kMostNamed) text += " and " + std::to_string(there.size() - kMostNamed) + " more";
  return text + ")" + MissingRanks(there, places);
}

std::string Membership::Progress() const {
  return ProgressOf(Node::WORKER) + ", " + ProgressOf(Node::SERVER);
}

}  // namespace ps

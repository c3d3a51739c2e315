#include "van/succession.h"

#include <algorithm>

#include "base/address.h"
#include "base/mutex.h"
#include "message/node_id.h"

namespace ps {
namespace {

// Strangers may register as often as they like.
constexpr size_t kMostNewcomers = 1024;

bool SameFixedAddress(const Registration& a, const Registration& b) {
  return a.fixed_port && b.fixed_port && a.node.port == b.node.port && a.node.hostname == b.node.hostname;
}

}  // namespace

void Succession::SetMember(int node, const Registration& registration) {
  members_[node] = Member{registration, State::kAlive, -1};
}

void Succession::SetLost(int node) {
  const auto member = members_.find(node);
  if (member != members_.end()) member->second.state = State::kLost;
}

void Succession::SetLeft(int node) {
  const auto member = members_.find(node);
  if (member != members_.end()) member->second.state = State::kLeft;
}

bool Succession::Register(const Registration& newcomer, int64_t now_ms) {
  const uint64_t incarnation = newcomer.node.incarnation;
  if (IsWaiting(incarnation)) return true;
  if (newcomers_.size() >= kMostNewcomers) return false;
  registrations_[incarnation] = newcomer;
  Newcomer fresh;
  fresh.incarnation = incarnation;
  fresh.park_until_ms = now_ms + park_ms_;
  newcomers_.push_back(fresh);
  return true;
}

bool Succession::IsWaiting(uint64_t newcomer) const {
  return std::any_of(newcomers_.begin(), newcomers_.end(),
                     [newcomer](const Newcomer& n) { return n.incarnation == newcomer; });
}

void Succession::Forget(uint64_t newcomer) {
  newcomers_.erase(std::remove_if(newcomers_.begin(), newcomers_.end(),
                                  [newcomer](const Newcomer& n) { return n.incarnation == newcomer; }),
                   newcomers_.end());
  registrations_.erase(newcomer);
}

void Succession::Heard(int node, int64_t now_ms) {
  const auto member = members_.find(node);
  if (member != members_.end()) member->second.heard_ms = std::max(member->second.heard_ms, now_ms);
}

void Succession::AskAgain(int64_t now_ms) {
  for (Newcomer& newcomer : newcomers_) {
    newcomer.asked_ms = now_ms;
    newcomer.ask_ms = now_ms;
    newcomer.park_until_ms = now_ms + park_ms_;
  }
}

// The member in `state` that has the newcomer's key, its rank, or its address; 0 if there is none.
int Succession::FindMatch(const Registration& newcomer, State state) const {
  for (const auto& [node, member] : members_) {
    if (member.state != state || RoleOfId(node) != newcomer.node.role) continue;
    const bool same_rank = newcomer.rank_wish == RankOfId(node);
    // The nodes of one process share its key.
    const bool same_key = !newcomer.node_key.empty() && newcomer.node_key == member.registration.node_key &&
                          newcomer.node.customer_id == member.registration.node.customer_id;
    // Nothing is known of who listens at the address of a lost node.
    const bool same_address = state == State::kAlive && SameFixedAddress(newcomer, member.registration);
    if (same_rank || same_key || same_address) return node;
  }
  return 0;
}

// For a newcomer without a match: the place it had in an earlier job of its process, else the lowest rank;
// first those of the same customer id, because the nodes of one process come back together and one of them
// may wish.
int Succession::FindLost(const Registration& newcomer) const {
  int lowest = 0;
  int lowest_of_customer = 0;
  for (const auto& [node, member] : members_) {
    if (member.state != State::kLost || RoleOfId(node) != newcomer.node.role) continue;
    if (RankOfId(node) == newcomer.previous_rank) return node;
    if (lowest == 0) lowest = node;
    const bool same_customer = member.registration.node.customer_id == newcomer.node.customer_id;
    if (lowest_of_customer == 0 && same_customer) lowest_of_customer = node;
  }
  return lowest_of_customer != 0 ? lowest_of_customer : lowest;
}

Status Succession::Refusal(uint64_t newcomer) const {
  const Registration& registration = registrations_.at(newcomer);
  const Node::Role role = registration.node.role;
  const auto places = std::count_if(members_.begin(), members_.end(),
                                    [role](const auto& entry) { return RoleOfId(entry.first) == role; });
  std::string text = "the job already has its " + std::to_string(places) + " " + RoleName(role) + "s";
  const int alive = FindMatch(registration, State::kAlive);
  if (alive != 0) {
    Node node = members_.at(alive).registration.node;
    node.id = alive;
    text += "; " + DescribeNode(node) +
            " has the same rank, key or address (DMLC_RANK, PS_NODE_KEY, DMLC_PORT) and is alive";
  }
  return Status::ResourceExhausted(text);
}

void Succession::Probe(Newcomer* newcomer, int member, int64_t now_ms, std::vector<int>* probe) const {
  const uint64_t life = members_.at(member).registration.node.incarnation;
  if (newcomer->probed != member || newcomer->probed_life != life) {
    newcomer->probed = member;
    newcomer->probed_life = life;
    newcomer->asked_ms = now_ms;
    newcomer->ask_ms = now_ms;
  }
  newcomer->silent_ms = std::max(newcomer->asked_ms, members_.at(member).heard_ms);
  if (now_ms < newcomer->ask_ms) return;
  probe->push_back(member);
  newcomer->ask_ms = now_ms + kAskEveryMs;
}

// Whether the member that it matches has been asked for a sign of life and has not given one since.
bool Succession::IsAsked(const Newcomer& newcomer) const {
  return newcomer.probed != 0 && members_.at(newcomer.probed).heard_ms < newcomer.asked_ms;
}

bool Succession::DecideOne(Newcomer* newcomer, int64_t now_ms, Outcome* outcome, std::vector<int>* probe) {
  const Registration& registration = registrations_.at(newcomer->incarnation);
  outcome->newcomer = newcomer->incarnation;
  outcome->node = FindMatch(registration, State::kLost);
  if (outcome->node != 0) return true;
  const int alive = FindMatch(registration, State::kAlive);
  if (alive == 0) {
    newcomer->probed = 0;
    outcome->node = FindLost(registration);
    if (outcome->node != 0) return true;
  } else {
    Probe(newcomer, alive, now_ms, probe);
    if (now_ms - newcomer->silent_ms >= kProbeMs) {
      outcome->node = alive;
      outcome->was_alive = true;
      return true;
    }
    if (IsAsked(*newcomer)) return false;
  }
  if (now_ms < newcomer->park_until_ms) return false;
  outcome->why = Refusal(newcomer->incarnation);
  return true;
}

std::vector<Succession::Outcome> Succession::Decide(int64_t now_ms, std::vector<int>* probe) {
  std::vector<Outcome> outcomes;
  std::vector<Newcomer> waiting;
  std::vector<int> taken;
  for (Newcomer& newcomer : newcomers_) {
    Outcome outcome;
    const bool decided = DecideOne(&newcomer, now_ms, &outcome, probe);
    // A place is given away once; who comes second is looked at again when its new owner is a member.
    const bool is_taken =
        outcome.node != 0 && std::find(taken.begin(), taken.end(), outcome.node) != taken.end();
    if (!decided || is_taken) {
      waiting.push_back(newcomer);
      continue;
    }
    if (outcome.node != 0) taken.push_back(outcome.node);
    outcomes.push_back(outcome);
  }
  newcomers_ = std::move(waiting);
  return outcomes;
}

int64_t Succession::NextDue() const {
  int64_t due = CondVar::kNever;
  for (const Newcomer& newcomer : newcomers_) {
    if (!IsAsked(newcomer)) due = std::min(due, newcomer.park_until_ms);
    if (newcomer.probed != 0) due = std::min({due, newcomer.ask_ms, newcomer.silent_ms + kProbeMs});
  }
  return due;
}

}  // namespace ps

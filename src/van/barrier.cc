#include "van/barrier.h"

#include <algorithm>
#include <iterator>

#include "message/node_id.h"

namespace ps {
namespace {

bool IsMask(int group) { return group >= 1 && group <= 7; }

bool IsIn(int node, int group) { return (GroupOfRole(RoleOfId(node)) & group) != 0; }

std::string Refusal(int node, int group, const std::string& why) {
  return "barrier of group " + std::to_string(group) + ", " + DescribeNodeId(node) + ": " + why;
}

}  // namespace

bool BarrierCounter::IsMember(int node, int group) const {
  return nodes_.count(node) != 0 && IsIn(node, group);
}

bool BarrierCounter::IsComplete(int group) const {
  const int arrived = Arrived(group);
  return arrived > 0 && arrived == Size(group);
}

BarrierCounter::Release BarrierCounter::End(int group, bool failed) {
  Group& state = groups_[group];
  Release release;
  release.group = group;
  release.round = state.round;
  if (state.arrived.empty()) return release;
  release.members.assign(state.arrived.begin(), state.arrived.end());
  for (int node : state.arrived) state.told[node] = Told{state.round, failed};
  state.arrived.clear();
  ++state.round;
  return release;
}

std::vector<BarrierCounter::Release> BarrierCounter::SetMembers(const std::set<int>& node_ids) {
  std::set<int> gone;
  std::set_difference(nodes_.begin(), nodes_.end(), node_ids.begin(), node_ids.end(),
                      std::inserter(gone, gone.end()));
  for (int node : gone) Renew(node);
  nodes_ = node_ids;
  size_of_role_.fill(0);
  for (int node : nodes_) ++size_of_role_[RoleOfId(node)];
  std::vector<Release> releases;
  for (const auto& [group, state] : groups_) {
    if (IsComplete(group)) releases.push_back(End(group, false));
  }
  return releases;
}

void BarrierCounter::Renew(int node) {
  for (auto& [group, state] : groups_) {
    state.arrived.erase(node);
    state.told.erase(node);
  }
}

BarrierCounter::Arrival BarrierCounter::Arrive(int node, int group, uint64_t round) {
  Arrival result;
  if (!IsMask(group) || !IsMember(node, group)) {
    result.error = Refusal(node, group, IsMask(group) ? "this node is no member" : "groups are 1 to 7");
    return result;
  }
  Group& state = groups_[group];
  const auto told = state.told.find(node);
  const Told last = told == state.told.end() ? Told{} : told->second;
  if (round == 0 || round > state.round) {
    result.error =
        Refusal(node, group,
                "round " + std::to_string(round) + " is not open, " + std::to_string(state.round) + " is");
  } else if (round == last.round && last.failed) {
    result.error = Refusal(node, group, "round " + std::to_string(round) + " has failed");
  } else if (round == last.round) {
    result.released = true;
    result.release = Release{group, round, {node}};
  } else if (round > last.round && state.arrived.insert(node).second) {
    result.count = Arrived(group);
    result.released = IsComplete(group);
    if (result.released) result.release = End(group, false);
  }
  return result;
}

BarrierCounter::Release BarrierCounter::Fail(int group) { return End(group, true); }

std::vector<int> BarrierCounter::Missing(int group) const {
  const auto state = groups_.find(group);
  std::vector<int> missing;
  std::copy_if(nodes_.begin(), nodes_.end(), std::back_inserter(missing), [&](int node) {
    return IsIn(node, group) && (state == groups_.end() || state->second.arrived.count(node) == 0);
  });
  return missing;
}

int BarrierCounter::Arrived(int group) const {
  const auto state = groups_.find(group);
  return state == groups_.end() ? 0 : static_cast<int>(state->second.arrived.size());
}

int BarrierCounter::Size(int group) const {
  int size = 0;
  for (Node::Role role : {Node::SERVER, Node::WORKER, Node::SCHEDULER}) {
    if ((GroupOfRole(role) & group) != 0) size += size_of_role_[role];
  }
  return size;
}

}  // namespace ps

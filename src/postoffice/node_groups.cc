#include "postoffice/node_groups.h"

#include <algorithm>
#include <utility>

#include "message/node_id.h"

namespace ps {

void NodeGroups::Add(int id) {
  const int role_bit = GroupOfRole(RoleOfId(id));
  ids_[id] = {id};
  for (int group = 1; group <= 7; ++group) {
    if ((group & role_bit) != 0 && group != id) ids_[group].push_back(id);
  }
}

NodeGroups::NodeGroups(int num_workers, int num_servers) {
  for (int rank = 0; rank < num_workers; ++rank) Add(WorkerIdOfRank(rank));
  for (int rank = 0; rank < num_servers; ++rank) Add(ServerIdOfRank(rank));
  Add(kSchedulerId);
}

NodeGroups::NodeGroups(std::vector<int> node_ids) {
  // Workers by rank, then servers by rank, then the scheduler.
  const auto place = [](int id) { return std::make_pair(-GroupOfRole(RoleOfId(id)), id); };
  std::sort(node_ids.begin(), node_ids.end(), [&](int a, int b) { return place(a) < place(b); });
  for (int id : node_ids) Add(id);
}

const std::vector<int>* NodeGroups::Find(int id) const {
  static const std::vector<int> nobody;
  const auto found = ids_.find(id);
  if (found != ids_.end()) return &found->second;
  return IsGroup(id) ? &nobody : nullptr;
}

}  // namespace ps

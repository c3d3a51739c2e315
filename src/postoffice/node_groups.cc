#include "postoffice/node_groups.h"

#include "message/node_id.h"
#include "ps/base.h"

namespace ps {

NodeGroups::NodeGroups(int num_workers, int num_servers) {
  const auto add = [this](int id, int role_bit) {
    ids_[id] = {id};
    for (int group = 1; group <= 7; ++group) {
      if ((group & role_bit) != 0 && group != id) ids_[group].push_back(id);
    }
  };
  for (int rank = 0; rank < num_workers; ++rank) add(WorkerIdOfRank(rank), kWorkerGroup);
  for (int rank = 0; rank < num_servers; ++rank) add(ServerIdOfRank(rank), kServerGroup);
  add(kSchedulerId, kScheduler);
}

const std::vector<int>* NodeGroups::Find(int id) const {
  static const std::vector<int> nobody;
  const auto found = ids_.find(id);
  if (found != ids_.end()) return &found->second;
  return IsGroup(id) ? &nobody : nullptr;
}

}  // namespace ps

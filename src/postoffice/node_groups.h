#ifndef PS_POSTOFFICE_NODE_GROUPS_H_
#define PS_POSTOFFICE_NODE_GROUPS_H_

#include <map>
#include <vector>

namespace ps {

// The node ids of every group, and every node id as a group of its own. A value.
class NodeGroups {
 public:
  NodeGroups() = default;
  NodeGroups(int num_workers, int num_servers);
  // Of these nodes, in any order.
  explicit NodeGroups(std::vector<int> node_ids);

  // Groups 1..7: workers by rank, then servers by rank, then the scheduler. A node id: itself. Null for
  // anything else.
  const std::vector<int>* Find(int id) const;

 private:
  void Add(int id);

  std::map<int, std::vector<int>> ids_;
};

}  // namespace ps
#endif  // PS_POSTOFFICE_NODE_GROUPS_H_

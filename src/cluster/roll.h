#ifndef PS_CLUSTER_ROLL_H_
#define PS_CLUSTER_ROLL_H_

#include <string>
#include <string_view>
#include <vector>

#include "ps/status.h"

namespace ps {

// A process of a cluster: the ranks of its nodes; -1: it has none of that role.
struct ProcessMembers {
  int worker = -1;
  int server = -1;

  friend bool operator==(const ProcessMembers& a, const ProcessMembers& b) {
    return a.worker == b.worker && a.server == b.server;
  }
};

// Which nodes live in which process. A plain value; the rule of the RollCall.
class Roll {
 public:
  Roll(int num_workers, int num_servers);

  // kInvalidArgument: a node that there is not, or one that another process has.
  Status Add(const ProcessMembers& process);
  // Whether every node has its process.
  bool complete() const;
  // "worker 1, server 0": whose process is not known.
  std::string Missing() const;
  // By rank of the process: those with a worker by its rank, then the others by that of their server. So it
  // does not depend on who comes first.
  std::vector<ProcessMembers> InOrder() const;

 private:
  // By rank of the node: of the other node in its process, -1: none.
  struct Place {
    bool is_known = false;
    int other = -1;
  };
  std::vector<Place> workers_;
  std::vector<Place> servers_;
};

// A list of processes as text, and back; kInvalidArgument where it is none.
std::string EncodeProcesses(const std::vector<ProcessMembers>& processes);
Result<std::vector<ProcessMembers>> DecodeProcesses(std::string_view text);

}  // namespace ps
#endif  // PS_CLUSTER_ROLL_H_

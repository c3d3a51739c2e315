#ifndef PS_MESSAGE_NODE_ID_H_
#define PS_MESSAGE_NODE_ID_H_

#include <string>

#include "ps/message.h"

namespace ps {

/// Ids 2..7 are groups (bit masks of scheduler 1, servers 2, workers 4), never nodes.
constexpr int kSchedulerId = 1;
constexpr int kFirstNodeId = 8;

constexpr int ServerIdOfRank(int rank) { return rank * 2 + 8; }
constexpr int WorkerIdOfRank(int rank) { return rank * 2 + 9; }

// Rank within the role; the scheduler's and all group ids give 0.
constexpr int RankOfId(int id) { return id < 8 ? 0 : (id - 8) / 2; }

// True for 1..7: a bit mask of roles. The scheduler's id 1 is both a node and the group of itself.
constexpr bool IsGroup(int id) { return id >= 1 && id <= 7; }

// Role of a node id (1 or >= 8).
constexpr Node::Role RoleOfId(int id) {
  return id == kSchedulerId ? Node::SCHEDULER : (id % 2 == 0 ? Node::SERVER : Node::WORKER);
}

// Bit of the role in a group mask: scheduler 1, server 2, worker 4.
constexpr int GroupOfRole(Node::Role role) {
  return role == Node::SCHEDULER ? 1 : (role == Node::SERVER ? 2 : 4);
}

// "scheduler", "server", "worker".
const char* RoleName(Node::Role role);

// `worker 1 (id 11)`; `worker 1 (id 11, 10.0.0.5:4711)` with an address. For texts of errors.
std::string DescribeNode(const Node& node);
std::string DescribeNodeId(int id);

}  // namespace ps
#endif  // PS_MESSAGE_NODE_ID_H_

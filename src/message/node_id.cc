#include "message/node_id.h"

#include "base/address.h"

namespace ps {
namespace {

// "worker 1" where the id tells the rank; a scheduler is the only one of its kind.
std::string Name(Node::Role role, int id) {
  const bool has_rank = role != Node::SCHEDULER && id >= kFirstNodeId && id != Node::kEmpty;
  return has_rank ? std::string(RoleName(role)) + " " + std::to_string(RankOfId(id)) : RoleName(role);
}

std::string AddressText(const Node& node) {
  if (node.hostname.empty() || node.port == Node::kEmpty) return node.hostname;
  return Address{node.hostname, node.port}.ToString();
}

}  // namespace

const char* RoleName(Node::Role role) {
  switch (role) {
    case Node::SERVER: return "server";
    case Node::WORKER: return "worker";
    case Node::SCHEDULER: return "scheduler";
  }
  return "unknown role";
}

std::string DescribeNode(const Node& node) {
  std::string known = node.id == Node::kEmpty ? "" : "id " + std::to_string(node.id);
  const std::string address = AddressText(node);
  if (!known.empty() && !address.empty()) known += ", ";
  known += address;
  const std::string name = Name(node.role, node.id);
  return known.empty() ? name : name + " (" + known + ")";
}

std::string DescribeNodeId(int id) {
  if (id == Node::kEmpty) return "a node without an id";
  if (id != kSchedulerId && id < kFirstNodeId) return "node " + std::to_string(id);
  Node node;
  node.role = RoleOfId(id);
  node.id = id;
  return DescribeNode(node);
}

}  // namespace ps

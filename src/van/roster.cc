#include "van/roster.h"

#include <algorithm>
#include <tuple>

namespace ps {
namespace {

bool SameNode(const Node& a, const Node& b) {
  const auto fields = [](const Node& n) {
    return std::tie(n.role, n.id, n.customer_id, n.hostname, n.port, n.is_recovery, n.incarnation);
  };
  return fields(a) == fields(b);
}

}  // namespace

bool Registration::operator==(const Registration& other) const {
  const auto fields = [](const Registration& r) {
    return std::tie(r.num_workers, r.num_servers, r.key_bits, r.protocol, r.rank_wish, r.previous_rank,
                    r.node_key, r.fixed_port, r.chunk_bytes, r.start_barrier);
  };
  return SameNode(node, other.node) && fields(*this) == fields(other);
}

bool ClusterSettings::operator==(const ClusterSettings& other) const {
  return heartbeat_interval_ms == other.heartbeat_interval_ms &&
         heartbeat_timeout_ms == other.heartbeat_timeout_ms && on_node_lost == other.on_node_lost &&
         chunk_bytes == other.chunk_bytes && barrier_timeout_ms == other.barrier_timeout_ms;
}

const Node* Roster::Find(int id) const {
  const auto node = std::find_if(nodes.begin(), nodes.end(), [id](const Node& n) { return n.id == id; });
  return node == nodes.end() ? nullptr : &*node;
}

bool Roster::operator==(const Roster& other) const {
  return epoch == other.epoch && job_id == other.job_id && settings == other.settings &&
         std::equal(nodes.begin(), nodes.end(), other.nodes.begin(), other.nodes.end(), SameNode);
}

}  // namespace ps

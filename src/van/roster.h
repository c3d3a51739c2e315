#ifndef PS_VAN_ROSTER_H_
#define PS_VAN_ROSTER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "ps/config.h"
#include "ps/message.h"

namespace ps {

// What a node tells the scheduler about itself when it asks to join.
struct Registration {
  Node node;  // role, customer_id, advertised hostname and port, incarnation; no id yet
  int num_workers = 0;
  int num_servers = 0;
  int key_bits = 64;              // width of Key; a job that mixes widths is refused
  int protocol = 0;               // kProtocolVersion of the node
  int64_t chunk_bytes = 1 << 20;  // PS_CHUNK_BYTES; a peer with smaller ones would refuse our frames
  int rank_wish = -1;             // DMLC_RANK, -1 = none
  int previous_rank = -1;         // rank this process had in an earlier job, -1 = none
  std::string node_key;           // text that names the node across restarts, may be empty
  bool start_barrier = true;      // it will enter the barrier of Start
  bool fixed_port = false;        // the user chose the port (it then takes part in the order of ranks)

  bool operator==(const Registration& other) const;
};

// Settings of the scheduler that hold for all nodes. Milliseconds; 0 = off.
struct ClusterSettings {
  int64_t heartbeat_interval_ms = 0;
  int64_t heartbeat_timeout_ms = 0;
  OnNodeLost on_node_lost = OnNodeLost::kFail;
  int64_t chunk_bytes = 1 << 20;
  int64_t barrier_timeout_ms =
      0;  // also how long a barrier without a deadline waits for a lost node to come back

  bool operator==(const ClusterSettings& other) const;
};

// Who is in the cluster, as the scheduler says. A later epoch replaces an earlier one.
struct Roster {
  uint64_t epoch = 0;
  uint64_t job_id = 0;  // random, one per scheduler start
  ClusterSettings settings;
  std::vector<Node> nodes;  // all with ids, the scheduler included

  // The node with this id, or null.
  const Node* Find(int id) const;
  bool operator==(const Roster& other) const;
};

}  // namespace ps
#endif  // PS_VAN_ROSTER_H_

// Config: everything a node is told from outside, as a plain value.
#ifndef PS_CONFIG_H_
#define PS_CONFIG_H_

#include <cstdint>
#include <optional>
#include <string>

#include "ps/status.h"

namespace ps {

class Environment;

// Numbered like Node::Role. kJoint (one server node and one worker node in one process) is known
// but not offered by this build.
enum class Role { kServer = 0, kWorker = 1, kScheduler = 2, kJoint = 3 };

// "server", "worker", "scheduler", "joint".
const char* RoleName(Role role);

// What happens to calls that need a node that is lost: they fail, they wait within their deadline
// for the node to come back, or the group of workers gets smaller.
enum class OnNodeLost { kFail, kWait, kShrink };

// How the default slicer spreads keys over servers.
enum class KeyPartition { kRange, kHash };

// Built by FromEnvironment, or by hand and then checked with Validate. Copies and compares.
// Every field names the variable it is read from; times are milliseconds here and seconds (with
// fractions) in the environment unless said otherwise; 0 as a time means none or off.
struct Config {
  // --- the job: required in the environment ---
  Role role = Role::kWorker;           // DMLC_ROLE
  int num_workers = 1;                 // DMLC_NUM_WORKER, 0..65535
  int num_servers = 1;                 // DMLC_NUM_SERVER, 0..65535; workers + servers >= 1
  std::string root_uri = "127.0.0.1";  // DMLC_PS_ROOT_URI: address or name, without brackets
  int root_port = 0;  // DMLC_PS_ROOT_PORT, 1..65535; by hand also 0, where the cluster picks one

  // --- addresses ---
  std::string node_host;        // DMLC_NODE_HOST: what this node advertises; empty: chosen
  std::string bind_host;        // PS_BIND_HOST: what it listens on; empty: what it advertises
  std::string interface;        // DMLC_INTERFACE: exact name; empty: the route to the scheduler
  int port = 0;                 // DMLC_PORT, or PORT with PS_USE_PORT=1; 0: any free one
  bool use_kubernetes = false;  // DMLC_USE_KUBERNETES: the scheduler listens on all addresses
  bool local = false;           // DMLC_LOCAL: this machine only, no network

  // --- rank ---
  int rank_wish = -1;    // DMLC_RANK unless the library wrote it; -1: none
  std::string node_key;  // PS_NODE_KEY, else what the launcher set; empty: none

  // --- transport and flow ---
  std::string van_type = "auto";                      // DMLC_PS_VAN_TYPE
  int water_mark = 1000;                              // DMLC_PS_WATER_MARK, requests; 0: no bound
  std::int64_t send_buffer_bytes = 64LL << 20;        // PS_SEND_BUFFER_BYTES
  std::int64_t max_message_bytes = 8LL << 30;         // PS_MAX_MESSAGE_BYTES
  std::int64_t chunk_bytes = 1LL << 20;               // PS_CHUNK_BYTES
  std::int64_t slice_bytes = 160000;                  // PS_SLICE_BYTES
  int spin_us = -1;                                   // PS_SPIN_US; -1: adaptive
  KeyPartition key_partition = KeyPartition::kRange;  // PS_KEY_PARTITION
  bool resend = false;                                // PS_RESEND: accepted, changes nothing
  std::int64_t resend_timeout_ms = 1000;              // PS_RESEND_TIMEOUT, in milliseconds there too
  int drop_msg_percent = 0;                           // PS_DROP_MSG, 0..100: test aid

  // --- deadlines and losses ---
  // The scheduler's heartbeat values and loss policy hold for all nodes.
  std::int64_t heartbeat_interval_ms = 1000;    // PS_HEARTBEAT_INTERVAL
  std::int64_t heartbeat_timeout_ms = 10000;    // PS_HEARTBEAT_TIMEOUT
  std::int64_t start_timeout_ms = 60000;        // PS_START_TIMEOUT
  std::int64_t request_timeout_ms = 60000;      // PS_REQUEST_TIMEOUT
  std::int64_t barrier_timeout_ms = 600000;     // PS_BARRIER_TIMEOUT
  OnNodeLost on_node_lost = OnNodeLost::kFail;  // PS_ON_NODE_LOST

  // --- store ---
  std::string checkpoint_dir;               // PS_CHECKPOINT_DIR; empty: no checkpoints
  std::int64_t checkpoint_interval_ms = 0;  // PS_CHECKPOINT_INTERVAL; 0: only when asked
  std::int64_t server_memory_limit = 0;     // PS_SERVER_MEMORY_LIMIT, bytes; 0: none
  int server_threads = -1;                  // PS_SERVER_THREADS; -1: by the number of cores

  // --- job identity ---
  std::string job_token;  // PS_JOB_TOKEN: shared secret checked at registration; never logged
  std::string curve_dir;  // PS_CURVE_DIR: where the key pair for encryption lies; empty: none

  // --- log ---
  int verbose = 0;  // PS_VERBOSE: 1 life of the cluster, 2 every message

  // Reads and checks all variables. The first fault is returned as kInvalidArgument and names the
  // variable, its value and what is allowed. An empty value counts as unset. Names that look like
  // ours but are not known are logged once per process, with the nearest known name.
  static Result<Config> FromEnvironment(const Environment& environment);

  // The same rules for a Config made by hand, except that root_port may be 0.
  Status Validate() const;

  // What can be told before Start, when other variables may still be missing; empty when the
  // variable is unset or wrong.
  static std::optional<Role> RoleFromEnvironment(const Environment& environment);
  static std::optional<int> NumWorkersFromEnvironment(const Environment& environment);
  static std::optional<int> NumServersFromEnvironment(const Environment& environment);
};

bool operator==(const Config& a, const Config& b);
inline bool operator!=(const Config& a, const Config& b) { return !(a == b); }

}  // namespace ps

#endif  // PS_CONFIG_H_

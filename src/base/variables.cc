#include "base/variables.h"

#include <algorithm>
#include <numeric>

namespace ps {
namespace {

// Other names that begin with DMLC_ are launchers' and other libraries': only one that differs in a letter or
// two from one of ours is a slip.
bool LooksLikeOurs(std::string_view name) {
  if (name.substr(0, 3) == "PS_" || name.substr(0, 8) == "DMLC_PS_") return true;
  return name.substr(0, 5) == "DMLC_" && EditDistance(name, NearestVariable(name)) <= 2;
}

// Names of the build, the tests, the launcher and the Python package, which a node may find in its
// environment and never reads.
constexpr std::string_view kOfTools[] = {
    "PS_BUILD",       "PS_ROOT",      "PS_SAN",         "PS_TRACKER_PREFIX", "PS_COMPAT_REPEAT",
    "PS_TEST_KILL",   "PS_FUZZ_SEED", "PS_FUZZ_RUNS",   "PS_TEST_LONG",      "PS_CHAOS_SEED",
    "PS_CHAOS_SEEDS", "PS_LIBRARY",   "PS_PYTHON_SERVE"};

bool IsKnown(std::string_view name) {
  if (std::find(std::begin(kOfTools), std::end(kOfTools), name) != std::end(kOfTools)) return true;
  const std::vector<VariableInfo>& known = KnownVariables();
  return std::any_of(known.begin(), known.end(),
                     [name](const VariableInfo& info) { return name == info.name; });
}

}  // namespace

const std::vector<VariableInfo>& KnownVariables() {
  static const std::vector<VariableInfo> variables = {
      {"DMLC_ROLE", "required", "worker, server or scheduler"},
      {"DMLC_NUM_WORKER", "required", "workers of the job, 0 to 65535"},
      {"DMLC_NUM_SERVER", "required", "servers of the job, 0 to 65535"},
      {"DMLC_PS_ROOT_URI", "required", "address (v4, v6) or name of the scheduler"},
      {"DMLC_PS_ROOT_PORT", "required", "port of the scheduler, 1 to 65535"},
      {"DMLC_NODE_HOST", "unset", "address or name this node advertises"},
      {"PS_BIND_HOST", "the advertised address", "address this node listens on"},
      {"DMLC_INTERFACE", "the route to the scheduler", "network interface to use, exact name"},
      {"DMLC_PORT", "any free one", "own port of a server or worker"},
      {"PS_USE_PORT", "0", "1: PORT is the own port when DMLC_PORT is unset"},
      {"PORT", "unset", "own port, read with PS_USE_PORT=1 only"},
      {"DMLC_USE_KUBERNETES", "0", "1: the scheduler listens on all addresses"},
      {"DMLC_LOCAL", "0", "1: this machine only, no network needed"},
      {"DMLC_PS_VAN_TYPE", "auto",
       "transport: auto (shared memory on one machine, else TCP), shm, zmq or p3 (as auto)"},
      {"DMLC_PS_WATER_MARK", "1000",
       "requests per peer no handler has taken before the sender waits; 0: no bound"},
      {"PS_SEND_BUFFER_BYTES", "67108864", "the same in bytes; one larger request may go alone"},
      {"PS_MAX_MESSAGE_BYTES", "8589934592", "largest message accepted from a member of the job"},
      {"PS_CHUNK_BYTES", "1048576", "large messages travel in chunks of this size"},
      {"PS_SLICE_BYTES", "160000", "dense keys of a KVStore travel in slices of this size, by priority"},
      {"PS_SPIN_US", "-1",
       "microseconds that a thread which waits for a message spins at most before it sleeps; -1: 50, or 0 on "
       "one processor"},
      {"PS_KEY_PARTITION", "range", "how keys spread over servers: range or hash"},
      {"DMLC_RANK", "unset", "wish for the rank within the role; tells the rank after Start"},
      {"PS_NODE_KEY", "what the launcher set", "text that names this node across restarts"},
      {"DMLC_TASK_ID", "unset", "node key, when PS_NODE_KEY is unset"},
      {"DMLC_WORKER_ID", "unset", "the same, of a worker"},
      {"DMLC_SERVER_ID", "unset", "the same, of a server"},
      {"OMPI_COMM_WORLD_RANK", "unset", "the same, set by Open MPI's mpirun"},
      {"PMI_RANK", "unset", "the same, set by MPICH's mpiexec"},
      {"SLURM_PROCID", "unset", "the same, set by srun"},
      {"PS_VERBOSE", "0", "1: log the life of the cluster; 2: every message too"},
      {"PS_HEARTBEAT_INTERVAL", "1", "seconds between signs of life; 0: off"},
      {"PS_HEARTBEAT_TIMEOUT", "10", "seconds of silence after which a node is lost; 0: off"},
      {"PS_START_TIMEOUT", "60", "seconds Start waits for all nodes; 0: for ever"},
      {"PS_REQUEST_TIMEOUT", "60", "seconds until a request must have arrived; 0: none"},
      {"PS_BARRIER_TIMEOUT", "600", "seconds a barrier, or a request put aside, may take; 0: none"},
      {"PS_ON_NODE_LOST", "fail",
       "what a lost node means: fail (calls that need it fail), wait (they wait until it is back), shrink "
       "(workers go on without a lost one)"},
      {"PS_RESEND", "0", "accepted; delivery is always exactly once"},
      {"PS_RESEND_TIMEOUT", "1000", "milliseconds until what is not acknowledged is asked for"},
      {"PS_DROP_MSG", "0", "test aid: percent of received messages to lose"},
      {"PS_CHECKPOINT_DIR", "unset", "where servers write checkpoints of the store"},
      {"PS_CHECKPOINT_INTERVAL", "0", "seconds between checkpoints; 0: only when asked"},
      {"PS_SERVER_MEMORY_LIMIT", "0", "bytes a server may store; 0: no limit"},
      {"PS_SERVER_THREADS", "-1", "update threads of a server; -1: by the number of cores"},
      {"PS_ENABLE_GPU_P2P", "1", "0: GPUs do not use each other's memory directly"},
      {"PS_FORCE_STREAM", "0", "1: SharedModel refuses arrays of a device that have no stream"},
      {"PS_JOB_TOKEN", "unset", "secret all nodes of a job share; who has another is refused"},
      {"PS_CURVE_DIR", "unset",
       "directory with the job's key pair (ps_keygen); set: all that leaves the machine is encrypted"},
      {"PS_TEST_TIME_SCALE", "1", "factor on the time limits of the tests"},
  };
  return variables;
}

int EditDistance(std::string_view a, std::string_view b) {
  // row[j] is the distance of the part of `a` seen so far to the first j bytes of `b`.
  std::vector<int> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (const char c : a) {
    int diagonal = row[0]++;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const int replaced = diagonal + (c == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

std::string NearestVariable(std::string_view name) {
  const std::vector<VariableInfo>& known = KnownVariables();
  const auto nearer = [name](const VariableInfo& a, const VariableInfo& b) {
    return EditDistance(name, a.name) < EditDistance(name, b.name);
  };
  return std::min_element(known.begin(), known.end(), nearer)->name;
}

std::vector<std::string> UnknownVariableWarnings(std::vector<std::string> names) {
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  std::vector<std::string> warnings;
  for (const std::string& name : names) {
    if (!LooksLikeOurs(name) || IsKnown(name)) continue;
    warnings.push_back("the variable " + name + " is not known and has no effect; did you mean " +
                       NearestVariable(name) + "?");
  }
  return warnings;
}

}  // namespace ps

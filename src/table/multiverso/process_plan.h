#ifndef PS_TABLE_MULTIVERSO_PROCESS_PLAN_H_
#define PS_TABLE_MULTIVERSO_PROCESS_PLAN_H_

#include <optional>
#include <string>
#include <vector>

#include "base/address.h"
#include "ps/config.h"
#include "ps/environment.h"
#include "ps/status.h"

namespace multiverso {

// What a process is, in Multiverso's bits.
enum class ProcessRole { kNone = 0, kWorker = 1, kServer = 2, kAll = 3 };

// "default", "worker", "server", "none"; the error lists them.
ps::Result<ProcessRole> ParseProcessRole(const std::string& text);

// What a program says of its cluster.
struct ClusterWish {
  std::optional<ProcessRole> role;    // -ps_role, where it was given
  std::vector<ps::Address> machines;  // of all processes, by rank: -machine_file and -port, or MV_NetConnect
  int rank = -1;                      // among them, by MV_NetBind; -1: where a local address stands
  std::vector<std::string> local_addresses;
};

// What nodes a process starts.
struct ProcessPlan {
  enum Kind {
    kCluster,  // these nodes
    kAlone,    // none: worker and server meet inside it
    kNoNode,   // none, in a cluster of others (ps_role none)
  };
  Kind kind = kAlone;
  std::vector<ps::Config> nodes;  // the scheduler, the server, the worker: those that it has

  bool Has(ps::Role role) const;
};

// Decides it, from what the program says and the environment, without looking at anything else:
//
//   DMLC_* set         the scheduler where DMLC_ROLE says so, else as `role` says, else as DMLC_ROLE says,
//                      which may be joint: a server and a worker. Each counts in its own DMLC_NUM_*. Of two
//                      nodes the server has DMLC_PORT
//   machines           a server and a worker each, with their line as rank; the first one's process is the
//                      scheduler's, too
//   neither            alone
ps::Result<ProcessPlan> PlanProcess(const ClusterWish& wish, const ps::Environment& environment);

// The machines of a file: one address a line, without empty lines and what is behind a #.
ps::Result<std::vector<ps::Address>> ParseMachines(const std::string& text, int port);

}  // namespace multiverso

#endif  // PS_TABLE_MULTIVERSO_PROCESS_PLAN_H_

#ifndef PS_CLUSTER_ROLL_CALL_H_
#define PS_CLUSTER_ROLL_CALL_H_

#include <chrono>
#include <memory>
#include <vector>

#include "cluster/roll.h"
#include "ps/postoffice.h"
#include "ps/status.h"

namespace ps {

// Tells every process of a cluster which nodes live in which process: each tells server 0 (worker 0, where
// there are no servers), which answers all when it has heard of every node.
class RollCall {
 public:
  // The started nodes of this process; null: it has none of that role, but one of them it has.
  RollCall(Postoffice* worker, Postoffice* server);
  // Not before all processes have taken their answer: for example after a barrier.
  ~RollCall();
  RollCall(const RollCall&) = delete;
  RollCall& operator=(const RollCall&) = delete;

  // The processes in order of their ranks. Once; waits for all. kDeadlineExceeded says who is missing, where
  // that is known here.
  Result<std::vector<ProcessMembers>> Take(std::chrono::milliseconds timeout);

 private:
  class Impl;
  const std::unique_ptr<Impl> impl_;
};

}  // namespace ps
#endif  // PS_CLUSTER_ROLL_CALL_H_

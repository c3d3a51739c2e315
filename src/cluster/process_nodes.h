#ifndef PS_CLUSTER_PROCESS_NODES_H_
#define PS_CLUSTER_PROCESS_NODES_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "ps/config.h"
#include "ps/postoffice.h"
#include "ps/status.h"

namespace ps {

// The nodes of a process that has several of one cluster: a scheduler, a server, a worker, or some of them.
// Each has its own Van and rank. What a cluster does together they do at once.
class ProcessNodes {
 public:
  // At most one per role. No I/O.
  explicit ProcessNodes(const std::vector<Config>& configs, VanFactory van_factory = DefaultVan);
  ~ProcessNodes();  // = Close()
  ProcessNodes(const ProcessNodes&) = delete;
  ProcessNodes& operator=(const ProcessNodes&) = delete;

  // Null: there is none.
  Postoffice* Find(Role role) const;

  // Returns when all nodes of the cluster are there, else the first error; all are closed then.
  Status Start(const char* argv0);
  // Meets the servers and workers of all processes. For processes that have one, too.
  Status Barrier(std::int64_t timeout_ms);
  // With the barrier over all nodes of the cluster.
  Status Finalize();
  // Idempotent.
  void Close();

 private:
  const std::vector<std::unique_ptr<Postoffice>> nodes_;
};

}  // namespace ps
#endif  // PS_CLUSTER_PROCESS_NODES_H_

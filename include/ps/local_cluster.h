#ifndef PS_LOCAL_CLUSTER_H_
#define PS_LOCAL_CLUSTER_H_

#include <functional>
#include <memory>
#include <vector>

#include "ps/config.h"
#include "ps/postoffice.h"
#include "ps/status.h"

namespace ps {

// What a LocalCluster is made of.
struct LocalClusterOptions {
  int servers = 1;
  int workers = 1;
  int ids_per_worker =
      1;          // customer ids each worker's program starts (RunProgram); each is a worker of the cluster
  Config config;  // settings of all nodes; role, counts, addresses and ranks are filled in
  // Test aid: wraps the transport of every node, for example in a ChaosTransport. Empty: none.
  std::function<std::unique_ptr<Transport>(std::unique_ptr<Transport>, int node_index)> wrap_transport;
};

// A whole cluster in this process: one scheduler, `servers` servers and `workers` workers, each with its own
// Van, over memory instead of sockets. The way to test, to debug, and to try a program before there is a
// cluster. Several may live side by side.
//
//     ps::LocalCluster cluster(2, 3);
//     cluster.Run([](ps::Postoffice& node) { if (node.is_worker()) { ... } });
class LocalCluster {
 public:
  // Runs on a thread of its own per node, bound to that node: the free functions of ps.h mean it.
  using Body = std::function<void(Postoffice& node)>;

  explicit LocalCluster(const LocalClusterOptions& options);
  LocalCluster(int servers, int workers);
  ~LocalCluster();  // = Close()
  LocalCluster(const LocalCluster&) = delete;
  LocalCluster& operator=(const LocalCluster&) = delete;

  // Starts all nodes (ranks as given by server(r) and worker(r)), without a body. Returns the first error.
  Status Start();
  // Finalizes all nodes, with the barrier over all.
  Status Finalize();
  // Start, `body` on every node at once, Finalize. Throws what a body threw first (the other nodes are closed
  // then), or ps::Error.
  void Run(const Body& body);
  // `program` on every node at once, for programs that call ps::Start and ps::Finalize themselves. Throws as
  // Run does.
  void RunProgram(const Body& program);
  // Closes all nodes at once; idempotent.
  void Close();

  Postoffice& scheduler();
  Postoffice& server(int rank);
  Postoffice& worker(int rank);
  // All: the scheduler, servers by rank, workers by rank.
  std::vector<Postoffice*> nodes();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ps
#endif  // PS_LOCAL_CLUSTER_H_

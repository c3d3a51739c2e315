// A cluster in this process like LocalCluster, but over ZeroMQ sockets on the loopback, with Config::van_type
// "shm" also through shared memory.
#ifndef PS_TESTS_SUPPORT_SOCKET_CLUSTER_H_
#define PS_TESTS_SUPPORT_SOCKET_CLUSTER_H_

#include <functional>
#include <memory>
#include <vector>

#include "ps/config.h"
#include "ps/postoffice.h"
#include "ps/status.h"
#include "transport/transport.h"

namespace ps {

class SocketCluster {
 public:
  // Wraps the transport of a node, for example in a ChaosTransport.
  using Wrap = std::function<std::unique_ptr<Transport>(std::unique_ptr<Transport>, int node_index)>;

  // `config`: settings of all nodes; role, counts, addresses and ranks are filled in.
  explicit SocketCluster(int servers, int workers, const Config& config = Config(),
                         const Wrap& wrap = nullptr);

  // As in LocalCluster. May alternate any number of times.
  Status Start();
  Status Finalize();

  // Where the scheduler listens once it has started.
  Address root() const { return {"127.0.0.1", root_port_}; }
  Postoffice& scheduler() { return *nodes_.front(); }
  Postoffice& server(int rank) { return *nodes_.at(static_cast<size_t>(1 + rank)); }
  Postoffice& worker(int rank) { return *nodes_.at(static_cast<size_t>(1 + servers_ + rank)); }

 private:
  Status OnAll(const std::function<Status(Postoffice&)>& step);

  const int servers_;
  const int root_port_;
  std::vector<std::unique_ptr<Postoffice>> nodes_;
};

}  // namespace ps

#endif  // PS_TESTS_SUPPORT_SOCKET_CLUSTER_H_

// Nodes: whom a PSNode stands for.
#ifndef PS_C_API_NODE_H_
#define PS_C_API_NODE_H_

#include <memory>

#include "c_api/handles.h"
#include "ps/c/runtime.h"
#include "ps/postoffice.h"

namespace ps::c_api {

class ServedCluster;

// A worker of a cluster in this process, which may be gone when it is asked for. Immutable.
class ClusterNode {
 public:
  ClusterNode(std::weak_ptr<ServedCluster> cluster, int rank) : cluster_(std::move(cluster)), rank_(rank) {}

  // The node; its cluster lives as long as this is held. Throws Error(kFailedPrecondition): it was closed.
  std::shared_ptr<Postoffice> Get() const;

 private:
  const std::weak_ptr<ServedCluster> cluster_;
  const int rank_;
};

template <>
struct HandleTraits<PSNode> {
  using Object = ClusterNode;
  static constexpr char kName[] = "PSNode";
};

// The node that a handle means, null as well: to be held by whatever uses it, for longer. Throws Error.
std::shared_ptr<Postoffice> NodeOf(PSNode node);

}  // namespace ps::c_api

#endif  // PS_C_API_NODE_H_

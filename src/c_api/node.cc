#include "c_api/node.h"

#include <algorithm>
#include <string>
#include <vector>

#include "c_api/error.h"
#include "c_api/served_cluster.h"
#include "c_api/thread_own.h"
#include "postoffice/started.h"

namespace ps::c_api {
namespace {

// The node that the calling thread has bound; null: none, as on one that is about to end.
struct OfNodes;
std::shared_ptr<ClusterNode>* BoundHere() { return ThreadOwn<std::shared_ptr<ClusterNode>, OfNodes>(); }

int RoleOf(const Postoffice& node) {
  if (node.is_worker()) return PS_WORKER;
  if (node.is_server()) return PS_SERVER;
  return node.is_scheduler() ? PS_SCHEDULER : PS_JOINT;
}

int CountDead(Postoffice& node, int node_or_group, int timeout_s) {
  if (timeout_s < 0)
    throw Error(Status::InvalidArgument("timeout_s is " + std::to_string(timeout_s) + "; it is 0 or more"));
  const std::vector<int> asked = node.GetNodeIDs(node_or_group);  // the node may end meanwhile
  const std::vector<int> dead = node.GetDeadNodes(timeout_s);
  return static_cast<int>(std::count_if(dead.begin(), dead.end(), [&asked](int id) {
    return std::find(asked.begin(), asked.end(), id) != asked.end();
  }));
}

// Calls `read` with the node, and stores what it returns.
template <typename Read>
int Answer(PSNode node, int* answer, const char* name, Read&& read) {
  return Call([&] {
    CheckGiven(answer, name);
    *answer = read(*NodeOf(node));
  });
}

}  // namespace

std::shared_ptr<Postoffice> ClusterNode::Get() const {
  const std::shared_ptr<ServedCluster> cluster = cluster_.lock();
  if (cluster == nullptr || cluster->is_closed())
    throw Error(Status::FailedPrecondition("worker " + std::to_string(rank_) +
                                           " is of a PSLocalCluster that was closed"));
  return {cluster, &cluster->worker(rank_)};
}

std::shared_ptr<Postoffice> NodeOf(PSNode node) {
  if (node != nullptr) return ObjectOf(node)->Get();
  const std::shared_ptr<ClusterNode>* const bound = BoundHere();
  if (bound != nullptr && *bound != nullptr) return (*bound)->Get();
  Postoffice* const here = Postoffice::Get();
  const std::shared_ptr<ServedCluster> cluster = ServedCluster::Of(here).value();
  return {cluster, here};
}

}  // namespace ps::c_api

using ps::c_api::Answer;
using ps::c_api::Call;
using ps::c_api::NodeOf;

extern "C" {

int PSStart(PSNode node, const char* program) {
  return Call([&] { ps::ThrowIfError(NodeOf(node)->TryStart(0, program, true)); });
}

int PSIsStarted(PSNode node, int* started) {
  return Answer(node, started, "started", [](ps::Postoffice& asked) { return ps::IsStarted(asked) ? 1 : 0; });
}

int PSFinalize(PSNode node, int wait_for_all) {
  return Call([&] { ps::ThrowIfError(NodeOf(node)->TryFinalize(0, wait_for_all != 0)); });
}

int PSNodeGetRole(PSNode node, int* role) { return Answer(node, role, "role", ps::c_api::RoleOf); }

int PSMyRank(PSNode node, int* rank) {
  return Answer(node, rank, "rank", [](ps::Postoffice& asked) { return asked.my_rank(); });
}

int PSNumWorkers(PSNode node, int* number) {
  return Answer(node, number, "number", [](ps::Postoffice& asked) { return asked.num_workers(); });
}

int PSNumServers(PSNode node, int* number) {
  return Answer(node, number, "number", [](ps::Postoffice& asked) { return asked.num_servers(); });
}

int PSBarrier(PSNode node, int group, int64_t timeout_ms) {
  return Call([&] {
    const int64_t checked_ms = ps::c_api::CheckBarrierTimeout(timeout_ms);
    ps::ThrowIfError(NodeOf(node)->TryBarrier(0, group, checked_ms));
  });
}

int PSGetNumDeadNodes(PSNode node, int node_or_group, int timeout_s, int* number) {
  return Answer(node, number, "number",
                [&](ps::Postoffice& asked) { return ps::c_api::CountDead(asked, node_or_group, timeout_s); });
}

int PSBindThread(PSNode node) {
  return Call([&] {
    std::shared_ptr<ps::c_api::ClusterNode> meant = node == nullptr ? nullptr : ps::c_api::ObjectOf(node);
    std::shared_ptr<ps::c_api::ClusterNode>* const bound = ps::c_api::BoundHere();
    if (bound != nullptr)
      *bound = std::move(meant);
    else if (meant != nullptr)
      throw ps::Error(ps::Status::FailedPrecondition("this thread is about to end: nothing is bound to it"));
  });
}

int PSNodeFree(PSNode node) {
  return Call([&] { ps::c_api::FreeHandle(node); });
}

}  // extern "C"

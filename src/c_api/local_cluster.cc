#include "ps/local_cluster.h"

#include <array>
#include <memory>
#include <string>
#include <utility>

#include "c_api/error.h"
#include "c_api/handles.h"
#include "c_api/node.h"
#include "c_api/served_cluster.h"
#include "c_api/server.h"
#include "c_api/settings.h"
#include "c_api/structs.h"
#include "ps/c/runtime.h"

namespace ps::c_api {

template <>
struct HandleTraits<PSLocalCluster> {
  using Object = ServedCluster;
  static constexpr char kName[] = "PSLocalCluster";
};

namespace {

// A thread or more each.
constexpr int kMostNodes = 1024;

int NumberOf(int given, const char* what) {
  if (given < 0 || given > kMostNodes)
    throw Error(Status::InvalidArgument("PSLocalClusterOptions: " + std::to_string(given) + " " + what +
                                        "; up to " + std::to_string(kMostNodes) + " nodes fit in a process"));
  return given == 0 ? 1 : given;
}

// The cluster fills in what is of its nodes; what a node must be told otherwise is here for the reader of
// settings.
Config ConfigOf(const PSLocalClusterOptions& options) {
  Environment::Map settings = SettingsOf(options.num_settings, options.names, options.values);
  constexpr std::array<std::pair<const char*, const char*>, 5> kOwn{{{"DMLC_ROLE", "worker"},
                                                                     {"DMLC_NUM_WORKER", "1"},
                                                                     {"DMLC_NUM_SERVER", "1"},
                                                                     {"DMLC_PS_ROOT_URI", "127.0.0.1"},
                                                                     {"DMLC_PS_ROOT_PORT", "1"}}};
  for (const auto& [name, value] : kOwn) {
    if (!settings.emplace(name, value).second)
      throw Error(
          Status::InvalidArgument(std::string("PSLocalClusterOptions: the cluster itself says ") + name));
  }
  return Config::FromEnvironment(Environment(std::move(settings), Environment::Fallback::kMapOnly)).value();
}

std::shared_ptr<ServedCluster> MakeCluster(const PSLocalClusterOptions* given) {
  const PSLocalClusterOptions options = ReadStruct(given, "PSLocalClusterOptions");
  LocalClusterOptions made;
  made.servers = NumberOf(options.servers, "servers");
  made.workers = NumberOf(options.workers, "workers");
  if (made.servers + made.workers > kMostNodes) NumberOf(made.servers + made.workers, "servers and workers");
  made.config = ConfigOf(options);
  auto cluster =
      std::make_shared<ServedCluster>(made, ControllerOf(options.controller, options.controller_context));
  cluster->Start();
  return cluster;
}

std::shared_ptr<ClusterNode> WorkerOf(PSLocalCluster handle, int rank) {
  const std::shared_ptr<ServedCluster> cluster = ObjectOf(handle);
  if (rank < 0 || rank >= cluster->num_workers())
    throw Error(Status::InvalidArgument("there is no worker " + std::to_string(rank) + ", only 0 to " +
                                        std::to_string(cluster->num_workers() - 1)));
  return std::make_shared<ClusterNode>(cluster, rank);
}

}  // namespace
}  // namespace ps::c_api

using ps::c_api::Call;
using ps::c_api::ObjectOf;

extern "C" {

int PSLocalClusterCreate(const PSLocalClusterOptions* options, PSLocalCluster* cluster) {
  return Call([&] {
    ps::c_api::CheckGiven(cluster, "cluster");
    *cluster = ps::c_api::NewHandle<PSLocalCluster>(ps::c_api::MakeCluster(options));
  });
}

int PSLocalClusterWorker(PSLocalCluster cluster, int rank, PSNode* node) {
  return Call([&] {
    ps::c_api::CheckGiven(node, "node");
    *node = ps::c_api::NewHandle<PSNode>(ps::c_api::WorkerOf(cluster, rank));
  });
}

int PSLocalClusterClose(PSLocalCluster cluster, int wait_for_all) {
  return Call([&] {
    const auto closed = ObjectOf(cluster);
    closed->CheckMayEnd();
    if (wait_for_all != 0)
      ps::ThrowIfError(closed->Finalize());
    else
      closed->Close();
  });
}

int PSLocalClusterFree(PSLocalCluster cluster) {
  return Call([&] {
    if (cluster == nullptr) return;
    const auto freed = ObjectOf(cluster);
    freed->CheckMayEnd();
    ps::c_api::FreeHandle(cluster);
    freed->Close();
  });
}

}  // extern "C"

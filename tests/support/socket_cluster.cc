#include "tests/support/socket_cluster.h"

#include <thread>

#include "tests/support/process.h"

namespace ps {

SocketCluster::SocketCluster(int servers, int workers, const Config& config) : servers_(servers) {
  Config node = config;
  node.num_servers = servers;
  node.num_workers = workers;
  node.root_uri = "127.0.0.1";
  node.root_port = FreePort();
  node.van_type = "zmq";
  const auto add = [&](Role role, int rank) {
    node.role = role;
    node.rank_wish = rank;
    nodes_.push_back(std::make_unique<Postoffice>(node));
  };
  add(Role::kScheduler, -1);
  for (int rank = 0; rank < servers; ++rank) add(Role::kServer, rank);
  for (int rank = 0; rank < workers; ++rank) add(Role::kWorker, rank);
}

Status SocketCluster::Start() {
  return OnAll([](Postoffice& node) { return node.TryStart(0, nullptr, true); });
}

Status SocketCluster::Finalize() {
  return OnAll([](Postoffice& node) { return node.TryFinalize(0, true); });
}

Status SocketCluster::OnAll(const std::function<Status(Postoffice&)>& step) {
  std::vector<Status> outcomes(nodes_.size());
  std::vector<std::thread> threads;
  for (size_t i = 0; i < nodes_.size(); ++i) {
    threads.emplace_back([&, i] { outcomes[i] = step(*nodes_[i]); });
  }
  for (std::thread& thread : threads) thread.join();
  for (const Status& outcome : outcomes) PS_RETURN_IF_ERROR(outcome);
  return Status::Ok();
}

}  // namespace ps

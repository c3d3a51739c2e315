#include "tests/support/socket_cluster.h"

#include <thread>
#include <utility>

#include "tests/support/process.h"
#include "transport/factory.h"

namespace ps {
namespace {

VanFactory FactoryOf(const SocketCluster::Wrap& wrap, int node_index) {
  if (!wrap) return DefaultVan;
  return [wrap, node_index](const Config& started) -> Result<std::unique_ptr<Van>> {
    const Result<TransportFactory> inner = MakeTransportFactory(started);
    PS_RETURN_IF_ERROR(inner.status());
    const auto wrapped = [wrap, node_index,
                          make = inner.value()](uint64_t incarnation) -> Result<std::unique_ptr<Transport>> {
      Result<std::unique_ptr<Transport>> transport = make(incarnation);
      PS_RETURN_IF_ERROR(transport.status());
      return wrap(std::move(transport).value(), node_index);
    };
    return std::make_unique<Van>(started, wrapped);
  };
}

}  // namespace

SocketCluster::SocketCluster(int servers, int workers, const Config& config, const Wrap& wrap)
    : servers_(servers), root_port_(FreePort()) {
  Config node = config;
  node.num_servers = servers;
  node.num_workers = workers;
  node.root_uri = "127.0.0.1";
  node.root_port = root_port_;
  if (config.van_type != "shm") node.van_type = "zmq";
  const auto add = [&](Role role, int rank) {
    node.role = role;
    node.rank_wish = rank;
    nodes_.push_back(std::make_unique<Postoffice>(node, FactoryOf(wrap, static_cast<int>(nodes_.size()))));
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

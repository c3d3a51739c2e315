#include "ps/local_cluster.h"

#include <exception>
#include <string>
#include <utility>

#include "cluster/on_nodes.h"
#include "postoffice/compat.h"
#include "transport/inproc/hub.h"
#include "transport/inproc/inproc_transport.h"

namespace ps {
namespace {

// Where the scheduler listens in the cluster's own name space of addresses.
constexpr char kHost[] = "inproc";
constexpr int kSchedulerPort = 1;

}  // namespace

class LocalCluster::Impl {
 public:
  explicit Impl(const LocalClusterOptions& options) : options_(options) {
    AddNode(Role::kScheduler, -1);
    for (int rank = 0; rank < options_.servers; ++rank) AddNode(Role::kServer, rank);
    for (int rank = 0; rank < options_.workers; ++rank) AddNode(Role::kWorker, rank);
  }

  ~Impl() { Close(); }

  void Close() {
    for (const auto& process : processes_) process->Close();
  }

  // The first exception closes all nodes, so that no other waits for the one that failed, and is returned.
  std::exception_ptr OnAll(const Body& step) {
    std::vector<Postoffice*> nodes;
    for (const auto& node : nodes_) nodes.push_back(node.get());
    return OnNodes(nodes, step, [this] { Close(); });
  }

  Postoffice& node(int index) { return *nodes_.at(static_cast<size_t>(index)); }
  const LocalClusterOptions& options() const { return options_; }
  const std::vector<std::unique_ptr<Postoffice>>& nodes() const { return nodes_; }

 private:
  Config ConfigOf(Role role, int rank) const {
    Config config = options_.config;
    config.role = role;
    config.num_servers = options_.servers;
    config.num_workers = options_.workers * options_.ids_per_worker;
    config.root_uri = kHost;
    config.root_port = kSchedulerPort;
    config.node_host = kHost;
    config.bind_host.clear();
    config.port = 0;
    config.rank_wish = -1;
    if (role == Role::kServer || (role == Role::kWorker && options_.ids_per_worker == 1)) {
      config.rank_wish = rank;
    }
    if (rank >= 0) config.node_key = std::to_string(rank);
    return config;
  }

  void AddNode(Role role, int rank) {
    const Config config = ConfigOf(role, rank);
    const int index = static_cast<int>(nodes_.size());
    const std::shared_ptr<Hub> hub = hub_;
    const auto wrap = options_.wrap_transport;
    const VanFactory factory = [hub, wrap, index](const Config& started) -> Result<std::unique_ptr<Van>> {
      return std::make_unique<Van>(started,
                                   [hub, wrap, index](uint64_t) -> Result<std::unique_ptr<Transport>> {
                                     std::unique_ptr<Transport> transport = MakeInprocTransport(hub);
                                     return wrap ? wrap(std::move(transport), index) : std::move(transport);
                                   });
    };
    nodes_.push_back(std::make_unique<Postoffice>(config, factory));
    Config further = config;
    further.rank_wish = -1;
    processes_.push_back(std::make_unique<LegacyProcess>(
        nodes_.back().get(), [further, factory] { return std::make_unique<Postoffice>(further, factory); }));
  }

  const LocalClusterOptions options_;
  const std::shared_ptr<Hub> hub_ = std::make_shared<Hub>();
  std::vector<std::unique_ptr<Postoffice>> nodes_;
  std::vector<std::unique_ptr<LegacyProcess>> processes_;  // one per node; closed before the nodes go
};

LocalCluster::LocalCluster(const LocalClusterOptions& options) : impl_(std::make_unique<Impl>(options)) {}

LocalCluster::LocalCluster(int servers, int workers)
    : LocalCluster([&] {
        LocalClusterOptions options;
        options.servers = servers;
        options.workers = workers;
        return options;
      }()) {}

LocalCluster::~LocalCluster() = default;

Status LocalCluster::Start() {
  const std::exception_ptr error = impl_->OnAll([](Postoffice& node) { node.Start(0, nullptr, true); });
  return StatusOf(error);
}

Status LocalCluster::Finalize() {
  const std::exception_ptr error = impl_->OnAll([](Postoffice& node) { node.Finalize(0, true); });
  return StatusOf(error);
}

void LocalCluster::Run(const Body& body) {
  RunProgram([&](Postoffice& node) {
    node.Start(0, nullptr, true);
    body(node);
    node.Finalize(0, true);
  });
}

void LocalCluster::RunProgram(const Body& program) {
  const std::exception_ptr error = impl_->OnAll(program);
  if (error != nullptr) std::rethrow_exception(error);
}

void LocalCluster::Close() { impl_->Close(); }

Postoffice& LocalCluster::scheduler() { return impl_->node(0); }

Postoffice& LocalCluster::server(int rank) { return impl_->node(1 + rank); }

Postoffice& LocalCluster::worker(int rank) { return impl_->node(1 + impl_->options().servers + rank); }

std::vector<Postoffice*> LocalCluster::nodes() {
  std::vector<Postoffice*> nodes;
  for (const auto& node : impl_->nodes()) nodes.push_back(node.get());
  return nodes;
}

}  // namespace ps

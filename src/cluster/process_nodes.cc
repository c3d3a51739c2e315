#include "cluster/process_nodes.h"

#include "cluster/on_nodes.h"

namespace ps {
namespace {

std::vector<std::unique_ptr<Postoffice>> MakeNodes(const std::vector<Config>& configs,
                                                   const VanFactory& van_factory) {
  std::vector<std::unique_ptr<Postoffice>> nodes;
  for (const Config& config : configs) nodes.push_back(std::make_unique<Postoffice>(config, van_factory));
  return nodes;
}

std::vector<Postoffice*> All(const std::vector<std::unique_ptr<Postoffice>>& nodes) {
  std::vector<Postoffice*> all;
  for (const auto& node : nodes) all.push_back(node.get());
  return all;
}

}  // namespace

ProcessNodes::ProcessNodes(const std::vector<Config>& configs, VanFactory van_factory)
    : nodes_(MakeNodes(configs, van_factory)) {}

ProcessNodes::~ProcessNodes() { Close(); }

Postoffice* ProcessNodes::Find(Role role) const {
  for (const auto& node : nodes_) {
    if (node->config().role == role) return node.get();
  }
  return nullptr;
}

Status ProcessNodes::Start(const char* argv0) {
  return StatusOf(OnNodes(
      All(nodes_), [argv0](Postoffice& node) { node.Start(0, argv0, true); }, [this] { Close(); }));
}

Status ProcessNodes::Barrier(std::int64_t timeout_ms) {
  std::vector<Postoffice*> members;
  for (Postoffice* const node : All(nodes_)) {
    if (!node->is_scheduler()) members.push_back(node);
  }
  const auto meet = [timeout_ms](Postoffice& node) {
    ThrowIfError(node.TryBarrier(0, kServerGroup + kWorkerGroup, timeout_ms));
  };
  return StatusOf(OnNodes(members, meet, nullptr));
}

Status ProcessNodes::Finalize() {
  return StatusOf(OnNodes(
      All(nodes_), [](Postoffice& node) { node.Finalize(0, true); }, nullptr));
}

void ProcessNodes::Close() {
  for (const auto& node : nodes_) node->Close();
}

}  // namespace ps

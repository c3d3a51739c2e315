// Vans without a Postoffice, over an inproc hub: a sink that remembers, and a cluster of them.
#ifndef PS_TESTS_SUPPORT_VAN_NODE_H_
#define PS_TESTS_SUPPORT_VAN_NODE_H_

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "base/thread.h"
#include "transport/inproc/inproc_transport.h"
#include "van/node_van.h"

namespace ps {

class RecordingSink : public VanSink {
 public:
  void OnRoster(const Roster& roster) override {
    std::lock_guard<std::mutex> lock(mutex_);
    num_nodes_ = roster.nodes.size();
  }
  void OnMessage(Message&& message) override {
    if (on_message) on_message(message);
    std::lock_guard<std::mutex> lock(mutex_);
    messages_.push_back(std::move(message));
    changed_.notify_all();
  }
  void OnUndelivered(const Meta& meta, const Status& why) override {
    Note("undelivered " + std::to_string(meta.timestamp) + ": " + why.message());
  }
  void OnNodeGone(const Node& node, const Status& why) override {
    Note("gone " + std::to_string(node.id) + ": " + why.message());
  }
  int64_t OnTimer(int64_t now_ms) override { return on_timer ? on_timer(now_ms) : CondVar::kNever; }

  // The test's watchdog ends it when they never come.
  std::vector<Message> WaitForMessages(size_t count) {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [&] { return messages_.size() >= count; });
    return messages_;
  }
  std::vector<std::string> WaitForNotes(size_t count) {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [&] { return notes_.size() >= count; });
    return notes_;
  }
  size_t num_messages() {
    std::lock_guard<std::mutex> lock(mutex_);
    return messages_.size();
  }
  size_t num_nodes() {
    std::lock_guard<std::mutex> lock(mutex_);
    return num_nodes_;
  }

  std::function<void(const Message&)> on_message;  // set before Start
  std::function<int64_t(int64_t)> on_timer;        // the same

 private:
  void Note(const std::string& text) {
    std::lock_guard<std::mutex> lock(mutex_);
    notes_.push_back(text);
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Message> messages_;   // under mutex_
  std::vector<std::string> notes_;  // the same
  size_t num_nodes_ = 0;            // the same
};

using WrapTransport = std::function<std::unique_ptr<Transport>(std::unique_ptr<Transport>)>;

struct VanNode {
  VanNode(const Config& config, const std::shared_ptr<Hub>& hub, const WrapTransport& wrap = nullptr)
      : van(config, [hub, wrap](uint64_t) -> Result<std::unique_ptr<Transport>> {
          std::unique_ptr<Transport> transport = MakeInprocTransport(hub);
          return wrap ? wrap(std::move(transport)) : std::move(transport);
        }) {}

  RecordingSink sink;
  NodeVan van;
  Status started;
};

// Nodes of one job. Add them, then Start those that shall come up.
class VanCluster {
 public:
  VanCluster(int num_servers, int num_workers) {
    config.num_servers = num_servers;
    config.num_workers = num_workers;
    config.root_uri = "inproc";
    config.root_port = 1;
    config.node_host = "inproc";
    config.request_timeout_ms = 20000;
  }

  VanNode* Add(Role role, const WrapTransport& wrap = nullptr) {
    Config own = config;
    own.role = role;
    nodes.push_back(std::make_unique<VanNode>(own, hub, wrap));
    return nodes.back().get();
  }

  // Starts all that were added at once, each on a thread of its own.
  void Start() {
    OnAll([](VanNode* node) { node->started = node->van.Start(&node->sink, StartOptions()); });
  }
  void OnAll(const std::function<void(VanNode*)>& step) {
    std::vector<std::unique_ptr<Thread>> threads;
    for (const auto& node : nodes) {
      threads.push_back(std::make_unique<Thread>("node", [&step, node = node.get()] { step(node); }));
    }
  }
  bool AllStarted() const {
    bool all = true;
    for (const auto& node : nodes) all = all && node->started.ok();
    return all;
  }

  Config config;
  const std::shared_ptr<Hub> hub = std::make_shared<Hub>();
  std::vector<std::unique_ptr<VanNode>> nodes;
};

}  // namespace ps
#endif  // PS_TESTS_SUPPORT_VAN_NODE_H_

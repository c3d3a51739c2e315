// A cluster in this process whose nodes can be killed and started again.
#ifndef PS_TESTS_SUPPORT_MORTAL_CLUSTER_H_
#define PS_TESTS_SUPPORT_MORTAL_CLUSTER_H_

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/thread.h"
#include "ps/postoffice.h"
#include "transport/forwarding_transport.h"
#include "transport/inproc/inproc_transport.h"

namespace ps {

// Says nothing and hears nothing any more once `dead` is set: to the others its node was killed.
class MortalTransport : public ForwardingTransport {
 public:
  MortalTransport(std::unique_ptr<Transport> inner, std::shared_ptr<std::atomic<bool>> dead)
      : ForwardingTransport(std::move(inner)), dead_(std::move(dead)) {}
  ~MortalTransport() override { Close(0); }

  Result<std::unique_ptr<Link>> Connect(const Address& peer, uint64_t incarnation) override {
    Result<std::unique_ptr<Link>> link = inner_->Connect(peer, incarnation);
    if (!link.ok()) return link;
    return std::unique_ptr<Link>(std::make_unique<MortalLink>(std::move(link).value(), dead_));
  }
  Status Reply(const ReturnPath& to, const Frame& frame) override {
    return *dead_ ? Status::Ok() : inner_->Reply(to, frame);
  }
  int Poll(FrameSink* sink, int timeout_ms) override {
    DeafSink deaf(sink, dead_.get());
    return inner_->Poll(&deaf, timeout_ms);
  }

 private:
  class MortalLink : public Link {
   public:
    MortalLink(std::unique_ptr<Link> inner, std::shared_ptr<std::atomic<bool>> dead)
        : inner_(std::move(inner)), dead_(std::move(dead)) {}
    SendResult TrySend(const Frame& frame) override {
      return *dead_ ? SendResult::kSent : inner_->TrySend(frame);
    }
    size_t unreleased() const override { return inner_->unreleased(); }
    void Close() override { inner_->Close(); }

   private:
    const std::unique_ptr<Link> inner_;
    const std::shared_ptr<std::atomic<bool>> dead_;
  };
  class DeafSink : public FrameSink {
   public:
    DeafSink(FrameSink* sink, const std::atomic<bool>* dead) : sink_(sink), dead_(dead) {}
    void OnFrame(Frame&& frame, const ReturnPath& from) override {
      if (!*dead_) sink_->OnFrame(std::move(frame), from);
    }
    void OnPeerClosed(const ReturnPath& from) override {
      if (!*dead_) sink_->OnPeerClosed(from);
    }
    void OnDropped(Counter why) override { sink_->OnDropped(why); }
    bool IsFromMember() const override { return sink_->IsFromMember(); }

   private:
    FrameSink* const sink_;
    const std::atomic<bool>* const dead_;
  };

  const std::shared_ptr<std::atomic<bool>> dead_;
};

// One scheduler, servers and workers on one hub. Start them, kill one, start another in its place. Nodes that
// were killed stay as objects until the end.
class MortalCluster {
 public:
  struct Node {
    std::unique_ptr<Postoffice> postoffice;
    std::shared_ptr<std::atomic<bool>> dead = std::make_shared<std::atomic<bool>>(false);
  };

  MortalCluster(int servers, int workers) {
    config.num_servers = servers;
    config.num_workers = workers;
    config.root_uri = "inproc";
    config.root_port = 1;
    config.node_host = "inproc";
    config.heartbeat_interval_ms = 50;
    config.heartbeat_timeout_ms = 1000;
  }

  // Not started yet. `rank` is also its wish.
  Postoffice& Add(Role role, int rank) {
    Config own = config;
    own.role = role;
    own.rank_wish = role == Role::kScheduler ? -1 : rank;
    auto node = std::make_unique<Node>();
    const auto hub = hub_;
    const auto dead = node->dead;
    node->postoffice = std::make_unique<Postoffice>(own, [hub, dead](const Config& started) {
      return Result<std::unique_ptr<Van>>(
          std::make_unique<Van>(started, [hub, dead](uint64_t) -> Result<std::unique_ptr<Transport>> {
            return std::unique_ptr<Transport>(
                std::make_unique<MortalTransport>(MakeInprocTransport(hub), dead));
          }));
    });
    nodes_.push_back(std::move(node));
    return *nodes_.back()->postoffice;
  }
  void AddAll() {
    Add(Role::kScheduler, 0);
    for (int rank = 0; rank < config.num_servers; ++rank) Add(Role::kServer, rank);
    for (int rank = 0; rank < config.num_workers; ++rank) Add(Role::kWorker, rank);
  }
  // All that were added, at once. The first error.
  Status StartAll() {
    std::vector<Status> outcomes(nodes_.size());
    {
      std::vector<std::unique_ptr<Thread>> threads;
      for (size_t i = 0; i < nodes_.size(); ++i) {
        threads.push_back(std::make_unique<Thread>(
            "start", [&, i] { outcomes[i] = nodes_[i]->postoffice->TryStart(0, nullptr, true); }));
      }
    }
    for (const Status& outcome : outcomes) {
      if (!outcome.ok()) return outcome;
    }
    return Status::Ok();
  }
  // As with kill -9: nothing is said, the connections close.
  void Kill(Postoffice* postoffice) {
    for (const auto& node : nodes_) {
      if (node->postoffice.get() != postoffice) continue;
      node->dead->store(true);
      postoffice->Close();
    }
  }
  // It stands still, as under SIGSTOP, until Wake.
  void Silence(const Postoffice* postoffice) {
    for (const auto& node : nodes_) {
      if (node->postoffice.get() == postoffice) node->dead->store(true);
    }
  }
  // It goes on, as after SIGCONT.
  void Wake(const Postoffice* postoffice) {
    for (const auto& node : nodes_) {
      if (node->postoffice.get() == postoffice) node->dead->store(false);
    }
  }
  Postoffice& at(size_t index) { return *nodes_.at(index)->postoffice; }

  Config config;  // of nodes added later

 private:
  const std::shared_ptr<Hub> hub_ = std::make_shared<Hub>();
  std::vector<std::unique_ptr<Node>> nodes_;
};

}  // namespace ps
#endif  // PS_TESTS_SUPPORT_MORTAL_CLUSTER_H_

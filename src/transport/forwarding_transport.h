#ifndef PS_TRANSPORT_FORWARDING_TRANSPORT_H_
#define PS_TRANSPORT_FORWARDING_TRANSPORT_H_

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "transport/transport.h"

namespace ps {

// What decorators of a transport have in common: everything goes to the one inside. Its poll_fd does not,
// because a decorator may hold frames back: only Poll can tell.
class ForwardingTransport : public Transport {
 public:
  explicit ForwardingTransport(std::unique_ptr<Transport> inner) : inner_(std::move(inner)) {}

  const char* name() const override { return inner_->name(); }
  Result<Address> Bind(const Address& where) override { return inner_->Bind(where); }
  Result<std::unique_ptr<Link>> Connect(const Address& peer, uint64_t incarnation) override {
    return inner_->Connect(peer, incarnation);
  }
  Status Reply(const ReturnPath& to, const Frame& frame) override { return inner_->Reply(to, frame); }
  int Poll(FrameSink* sink, int timeout_ms) override { return inner_->Poll(sink, timeout_ms); }
  std::string Probe(const Address& peer) const override { return inner_->Probe(peer); }
  std::unique_ptr<ReachCheck> StartCheck(const Address& peer) const override {
    return inner_->StartCheck(peer);
  }
  void Wake() override { inner_->Wake(); }
  void set_release_callback(std::function<void()> callback) override {
    inner_->set_release_callback(std::move(callback));
  }
  void Close(int linger_ms) override { inner_->Close(linger_ms); }

 protected:
  const std::unique_ptr<Transport> inner_;
};

}  // namespace ps
#endif  // PS_TRANSPORT_FORWARDING_TRANSPORT_H_

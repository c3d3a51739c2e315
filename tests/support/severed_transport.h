// A transport whose connection with one peer can be cut while all others last.
#ifndef PS_TESTS_SUPPORT_SEVERED_TRANSPORT_H_
#define PS_TESTS_SUPPORT_SEVERED_TRANSPORT_H_

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "message/codec.h"
#include "transport/forwarding_transport.h"
#include "transport/transport.h"

namespace ps {

// Between the node that has the transport and one peer: from then on neither hears the other. Any thread.
class Cut {
 public:
  void Make(const Node& peer) {
    port_.store(peer.port);
    incarnation_.store(peer.incarnation);
  }
  bool IsTo(const Address& address) const { return address.port == port_.load(); }
  bool IsFrom(const Frame& frame) const {
    const char* reason = "";
    const Result<Header> header = DecodeHeader(frame.head.data(), frame.head.size(), &reason);
    return header.ok() && header.value().sender_incarnation == incarnation_.load();
  }

 private:
  std::atomic<int> port_{-1};
  std::atomic<uint64_t> incarnation_{0};
};

class SeveredTransport : public ForwardingTransport {
 public:
  SeveredTransport(std::unique_ptr<Transport> inner, std::shared_ptr<const Cut> cut)
      : ForwardingTransport(std::move(inner)), cut_(std::move(cut)) {}
  ~SeveredTransport() override { Close(0); }

  Result<std::unique_ptr<Link>> Connect(const Address& peer, uint64_t incarnation) override {
    Result<std::unique_ptr<Link>> link = inner_->Connect(peer, incarnation);
    if (!link.ok()) return link;
    return std::unique_ptr<Link>(std::make_unique<SeveredLink>(std::move(link).value(), peer, cut_));
  }
  int Poll(FrameSink* sink, int timeout_ms) override {
    SeveredSink severed(sink, *cut_);
    return inner_->Poll(&severed, timeout_ms);
  }

 private:
  class SeveredLink : public Link {
   public:
    SeveredLink(std::unique_ptr<Link> inner, Address peer, std::shared_ptr<const Cut> cut)
        : inner_(std::move(inner)), peer_(std::move(peer)), cut_(std::move(cut)) {}
    SendResult TrySend(const Frame& frame) override {
      return cut_->IsTo(peer_) ? SendResult::kSent : inner_->TrySend(frame);
    }
    uint64_t piece_bytes() const override { return inner_->piece_bytes(); }
    size_t unreleased() const override { return inner_->unreleased(); }
    void Close() override { inner_->Close(); }

   private:
    const std::unique_ptr<Link> inner_;
    const Address peer_;
    const std::shared_ptr<const Cut> cut_;
  };
  class SeveredSink : public FrameSink {
   public:
    SeveredSink(FrameSink* sink, const Cut& cut) : sink_(sink), cut_(cut) {}
    void OnFrame(Frame&& frame, const ReturnPath& from) override {
      if (!cut_.IsFrom(frame)) sink_->OnFrame(std::move(frame), from);
    }
    void OnPeerClosed(const ReturnPath& from) override { sink_->OnPeerClosed(from); }
    void OnDropped(Counter why) override { sink_->OnDropped(why); }
    bool IsFromMember() const override { return sink_->IsFromMember(); }

   private:
    FrameSink* const sink_;
    const Cut& cut_;
  };

  const std::shared_ptr<const Cut> cut_;
};

}  // namespace ps
#endif  // PS_TESTS_SUPPORT_SEVERED_TRANSPORT_H_

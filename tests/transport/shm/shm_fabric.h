// Transports over shared memory in one test: who listens where, so that links find the incarnation.
#ifndef PS_TESTS_TRANSPORT_SHM_SHM_FABRIC_H_
#define PS_TESTS_TRANSPORT_SHM_SHM_FABRIC_H_

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <utility>

#include "tests/support/memory.h"
#include "tests/support/transport_endpoint.h"
#include "transport/forwarding_transport.h"
#include "transport/poll_set.h"
#include "transport/shm/shm_transport.h"
#include "transport/zmq/zmq_transport.h"

namespace ps {

// As a roster has it: the incarnation that listened last at an address.
class AddressBook {
 public:
  void Enter(const Address& address, uint64_t incarnation) {
    std::lock_guard<std::mutex> lock(mutex_);
    entries_[address.ToString()] = incarnation;
  }
  uint64_t Find(const Address& address) {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto found = entries_.find(address.ToString());
    return found == entries_.end() ? 0 : found->second;
  }

 private:
  std::mutex mutex_;
  std::map<std::string, uint64_t> entries_;
};

// Passes everything on, and gives each link the incarnation of whoever listens there.
class KnowingTransport : public ForwardingTransport {
 public:
  KnowingTransport(std::unique_ptr<Transport> inner, uint64_t incarnation, std::shared_ptr<AddressBook> book)
      : ForwardingTransport(std::move(inner)), incarnation_(incarnation), book_(std::move(book)) {}

  Result<Address> Bind(const Address& where) override {
    Result<Address> bound = inner_->Bind(where);
    if (bound.ok()) book_->Enter(bound.value(), incarnation_);
    return bound;
  }
  Result<std::unique_ptr<Link>> Connect(const Address& peer, uint64_t) override {
    return inner_->Connect(peer, book_->Find(peer));
  }

 private:
  const uint64_t incarnation_;
  const std::shared_ptr<AddressBook> book_;
};

inline uint64_t RandomIncarnation() {
  std::random_device random;
  return (uint64_t{random()} << 32) | (random() | 1);
}

// Reaches nobody. Stands in for ZeroMQ where ThreadSanitizer looks at the rest.
class QuietTransport : public Transport {
 public:
  const char* name() const override { return "quiet"; }
  Result<Address> Bind(const Address& where) override { return where; }
  Result<std::unique_ptr<Link>> Connect(const Address&, uint64_t) override {
    return Status::Unavailable("nobody is reached");
  }
  Status Reply(const ReturnPath&, const Frame&) override { return Status::Unavailable("nobody is reached"); }
  int Poll(FrameSink*, int) override { return 0; }
  int poll_fd() const override { return poll_set_->fd(); }
  std::string Probe(const Address&) const override { return "nobody listens there"; }
  std::unique_ptr<ReachCheck> StartCheck(const Address&) const override { return nullptr; }
  void Wake() override {}
  void set_release_callback(std::function<void()>) override {}
  void Close(int) override {}

 private:
  const std::shared_ptr<PollSet> poll_set_ = PollSet::Make().value();
};

// What ShmTransport is put around.
inline std::unique_ptr<Transport> MakeInner(const ZmqOptions& options = {}) {
  if (UnderThreadSanitizer()) return std::make_unique<QuietTransport>();
  return MakeZmqTransport(options).value();
}

struct ShmFabric {
  std::unique_ptr<Transport> Make() {
    options.incarnation = RandomIncarnation();
    ZmqOptions zmq;
    zmq.max_message_bytes = 16 << 20;
    Result<std::unique_ptr<Transport>> transport = MakeShmTransport(MakeInner(zmq), options);
    EXPECT_TRUE(transport.ok()) << transport.status();
    EXPECT_STREQ(transport.value()->name(), "shm");
    return std::make_unique<KnowingTransport>(std::move(transport).value(), options.incarnation, book);
  }
  Address AnyPort() const { return {"127.0.0.1", 0}; }
  std::string unavailable() const { return UnderThreadSanitizer() ? "libzmq is not instrumented" : ""; }

  ShmOptions options = [] {
    ShmOptions roomy;
    roomy.max_frame_bytes = 8 << 20;
    roomy.spin_us = 50;  // also where that is not the default
    return roomy;
  }();
  std::shared_ptr<AddressBook> book = std::make_shared<AddressBook>();
};

// One node that listens.
struct ShmNode {
  explicit ShmNode(ShmOptions options = {}) : incarnation(RandomIncarnation()) {
    options.incarnation = incarnation;
    Result<std::unique_ptr<Transport>> made = MakeShmTransport(MakeInner(), options);
    EXPECT_TRUE(made.ok()) << made.status();
    endpoint = std::make_unique<Endpoint>(std::move(made).value());
    address = endpoint->Listen({"127.0.0.1", 0});
  }
  std::unique_ptr<Link> ConnectTo(const ShmNode& peer) {
    return endpoint->transport().Connect(peer.address, peer.incarnation).value();
  }

  const uint64_t incarnation;
  std::unique_ptr<Endpoint> endpoint;
  Address address;
};

}  // namespace ps
#endif  // PS_TESTS_TRANSPORT_SHM_SHM_FABRIC_H_

#include "transport/shm/shm_transport.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/line_limit.h"
#include "base/log.h"
#include "transport/poll_set.h"
#include "transport/release_hook.h"
#include "transport/shm/handover.h"
#include "transport/shm/reception.h"
#include "transport/shm/segment.h"
#include "transport/shm/shm_link.h"
#include "transport/shm/shm_receiver.h"

namespace ps {
namespace {

constexpr int64_t kTroubleLineMs = 60000;

constexpr uint64_t kInnerTag = 1;
constexpr uint64_t kReceptionTag = 2;  // inlets and links have the tags above

uint64_t CapacityFor(uint64_t max_frame_bytes) {
  uint64_t capacity = kRingBytes;
  while (capacity < 2 * RecordBytes(max_frame_bytes) && capacity < Segment::kLargestCapacity) capacity *= 2;
  return capacity;
}

class ShmLink : public Link {
 public:
  explicit ShmLink(std::shared_ptr<ShmLinkEnd> end) : end_(std::move(end)) {}
  ~ShmLink() override { end_->Close(); }

  SendResult TrySend(const Frame& frame) override { return end_->TrySend(frame); }
  uint64_t piece_bytes() const override { return kPieceBytes; }
  size_t unreleased() const override { return end_->unreleased(); }
  void Close() override { end_->Close(); }

 private:
  const std::shared_ptr<ShmLinkEnd> end_;
};

class ShmTransport : public Transport {
 public:
  ShmTransport(std::unique_ptr<Transport> inner, const ShmOptions& options, std::shared_ptr<PollSet> poll_set,
               std::unique_ptr<Reception> reception)
      : inner_(std::move(inner)),
        options_(options),
        capacity_(CapacityFor(options.max_frame_bytes)),
        poll_set_(std::move(poll_set)),
        receiver_({inner_.get(), poll_set_, [this] { return ++last_tag_; },
                   [this](uint64_t tag) {
                     const std::shared_ptr<ShmLinkEnd> link = FindLink(tag);
                     if (link != nullptr && link->OnBell()) hook_->Call();
                   },
                   [this](const Status& trouble) { SayTrouble(trouble); }},
                  std::move(reception), options.spin_us) {}
  ~ShmTransport() override { Close(0); }

  // Once, before all else. When it fails `*inner` is what it was made of.
  Status Watch(std::unique_ptr<Transport>* inner) {
    const Status watched = receiver_.Watch(kInnerTag, kReceptionTag);
    if (!watched.ok()) *inner = std::move(inner_);
    return watched;
  }

  const char* name() const override { return "shm"; }
  Result<Address> Bind(const Address& where) override { return inner_->Bind(where); }
  Result<std::unique_ptr<Link>> Connect(const Address& peer, uint64_t incarnation) override;
  Status Reply(const ReturnPath& to, const Frame& frame) override;
  int Poll(FrameSink* sink, int timeout_ms) override {
    SweepClosedRings();
    return receiver_.Poll(sink, timeout_ms);
  }
  SharedReception* shared_reception() override { return &receiver_; }
  std::string Probe(const Address& peer) const override { return inner_->Probe(peer); }
  std::unique_ptr<ReachCheck> StartCheck(const Address& peer) const override {
    return inner_->StartCheck(peer);
  }
  void Wake() override { receiver_.Wake(); }
  void set_release_callback(std::function<void()> callback) override {
    hook_->Set(callback);
    inner_->set_release_callback(std::move(callback));
  }
  void Close(int linger_ms) override;

 private:
  Result<std::shared_ptr<ShmLinkEnd>> OpenEnd(const Hello& hello, ShmLinkEnd::MakeOther make_other)
      PS_EXCLUDES(links_mutex_);
  std::shared_ptr<ShmLinkEnd> FindLink(uint64_t tag) PS_EXCLUDES(links_mutex_);
  std::vector<std::shared_ptr<ShmLinkEnd>> RefuseLinks() PS_EXCLUDES(links_mutex_);
  void SayTrouble(const Status& trouble) PS_EXCLUDES(trouble_mutex_);

  std::unique_ptr<Transport> inner_;
  const ShmOptions options_;
  const uint64_t capacity_;
  const std::shared_ptr<PollSet> poll_set_;
  const std::shared_ptr<ReleaseHook> hook_ = std::make_shared<ReleaseHook>();
  std::atomic<uint64_t> last_tag_{kReceptionTag};

  Mutex close_mutex_;  // held through Close; before the others
  Mutex links_mutex_;
  std::map<uint64_t, std::weak_ptr<ShmLinkEnd>> links_ PS_GUARDED_BY(links_mutex_);
  std::atomic<bool> closed_{false};  // set under links_mutex_
  Mutex trouble_mutex_;
  LineLimit trouble_lines_ PS_GUARDED_BY(trouble_mutex_){kTroubleLineMs};

  ShmReceiver receiver_;  // last: it calls back
};

void ShmTransport::SayTrouble(const Status& trouble) {
  MutexLock lock(trouble_mutex_);
  if (!trouble_lines_.Allows(Clock::Real().NowMs())) return;
  PS_LOG(kWarning, "",
         "no shared memory with a node of this machine, it goes over ZeroMQ: " << trouble.message());
}

// --- links ---

Result<std::unique_ptr<Link>> ShmTransport::Connect(const Address& peer, uint64_t incarnation) {
  if (incarnation == 0) return inner_->Connect(peer);
  Transport* const inner = inner_.get();
  ShmLinkEnd::MakeOther make_other;
  if (!options_.is_required) make_other = [inner, peer] { return inner->Connect(peer); };
  const Hello hello{options_.incarnation, incarnation, capacity_, false};
  Result<std::shared_ptr<ShmLinkEnd>> end = OpenEnd(hello, std::move(make_other));
  if (end.ok()) return std::unique_ptr<Link>(std::make_unique<ShmLink>(std::move(end).value()));
  const Status why = end.status();
  if (why.code() == StatusCode::kCancelled) return why;
  if (options_.is_required) {
    return Status(why.code(), "DMLC_PS_VAN_TYPE=shm, but there is no shared memory with the node at " +
                                  peer.ToString() + ": " + why.message());
  }
  if (why.code() != StatusCode::kNotFound) SayTrouble(why);
  return inner_->Connect(peer);
}

Result<std::shared_ptr<ShmLinkEnd>> ShmTransport::OpenEnd(const Hello& hello,
                                                          ShmLinkEnd::MakeOther make_other) {
  if (closed_.load()) return Status::Cancelled("the transport is closed");
  Descriptor memfd;
  Result<std::shared_ptr<Segment>> segment = Segment::Create(hello.capacity, &memfd);
  PS_RETURN_IF_ERROR(segment.status());
  Result<Doorbell> doorbell = HandOver(hello, memfd);
  PS_RETURN_IF_ERROR(doorbell.status());
  const uint64_t tag = ++last_tag_;
  auto end = std::make_shared<ShmLinkEnd>(
      tag, std::make_unique<Outlet>(std::move(segment).value(), std::move(doorbell).value()),
      std::move(make_other), poll_set_);
  MutexLock lock(links_mutex_);
  if (closed_.load()) return Status::Cancelled("the transport is closed");
  for (auto at = links_.begin(); at != links_.end();)
    at = at->second.expired() ? links_.erase(at) : std::next(at);
  links_[tag] = end;
  PS_RETURN_IF_ERROR(end->Watch());
  return end;
}

std::shared_ptr<ShmLinkEnd> ShmTransport::FindLink(uint64_t tag) {
  MutexLock lock(links_mutex_);
  const auto found = links_.find(tag);
  return found == links_.end() ? nullptr : found->second.lock();
}

std::vector<std::shared_ptr<ShmLinkEnd>> ShmTransport::RefuseLinks() {
  MutexLock lock(links_mutex_);
  closed_.store(true);
  std::vector<std::shared_ptr<ShmLinkEnd>> open;
  for (const auto& [tag, weak] : links_) {
    if (std::shared_ptr<ShmLinkEnd> link = weak.lock()) open.push_back(std::move(link));
  }
  links_.clear();
  return open;
}

// Through a ring of its own: the one that the question came through has one direction. Whoever calls this
// holds the token.
Status ShmTransport::Reply(const ReturnPath& to, const Frame& frame) PS_NO_THREAD_SAFETY_ANALYSIS {
  if (closed_.load()) return Status::Cancelled("the transport is closed");
  const uint64_t tag = TagOfRingPath(to);
  if (tag == 0) return inner_->Reply(to, frame);
  Inlet* const inlet = receiver_.FindInlet(tag);
  if (inlet == nullptr) return Status::Unavailable("the sender is not connected any more");
  if (inlet->reply == nullptr) {
    const Hello hello{options_.incarnation, inlet->hello().writer, capacity_, true};
    Result<std::shared_ptr<ShmLinkEnd>> end = OpenEnd(hello, nullptr);
    if (!end.ok()) return Status::Unavailable("the sender can not be answered: " + end.status().message());
    inlet->reply = std::move(end).value();
  }
  if (inlet->reply->TrySend(frame) == SendResult::kSent) return Status::Ok();
  return Status::Unavailable("the sender does not read its answers");
}

void ShmTransport::Close(int linger_ms) {
  MutexLock closing(close_mutex_);
  if (inner_ == nullptr) return;
  const std::vector<std::shared_ptr<ShmLinkEnd>> links = RefuseLinks();
  hook_->Close();
  for (const auto& link : links) link->Detach();
  receiver_.Close();
  inner_->Close(linger_ms);
  poll_set_->Close();
}

// Null with `*why` when something is not to be had.
std::unique_ptr<ShmTransport> TryMake(std::unique_ptr<Transport>* inner, const ShmOptions& options,
                                      Status* why) {
  Result<std::shared_ptr<PollSet>> poll_set = PollSet::Make();
  *why = poll_set.status();
  if (!why->ok()) return nullptr;
  Result<std::unique_ptr<Reception>> reception = Reception::Open(options.incarnation);
  *why = reception.status();
  if (!why->ok()) return nullptr;
  auto transport = std::make_unique<ShmTransport>(std::move(*inner), options, std::move(poll_set).value(),
                                                  std::move(reception).value());
  *why = transport->Watch(inner);
  return why->ok() ? std::move(transport) : nullptr;
}

}  // namespace

Result<std::unique_ptr<Transport>> MakeShmTransport(std::unique_ptr<Transport> inner,
                                                    const ShmOptions& options) {
  Status why;
  std::unique_ptr<Transport> transport = TryMake(&inner, options, &why);
  if (transport != nullptr) return transport;
  if (options.is_required) return Status(why.code(), "DMLC_PS_VAN_TYPE=shm: " + why.message());
  PS_LOG(kWarning, "",
         "no shared memory between the nodes of this machine, all goes over ZeroMQ: " << why.message());
  return inner;
}

}  // namespace ps

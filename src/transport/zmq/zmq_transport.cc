#include "transport/zmq/zmq_transport.h"

#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/descriptors.h"
#include "transport/poll_set.h"
#include "transport/release_hook.h"
#include "transport/zmq/curve.h"
#include "transport/zmq/endpoint.h"
#include "transport/zmq/multipart.h"
#include "transport/zmq/peers.h"
#include "transport/zmq/socket.h"
#include "transport/zmq/socket_check.h"
#include "transport/zmq/zap.h"
#include "transport/zmq/zmq_link.h"

namespace ps {
namespace {

constexpr char kRouterMark = 'R';
constexpr uint64_t kRouterTag = 1;
constexpr uint64_t kReportTag = 2;  // links have the tags above
constexpr int kHandshakeMs = 5000;
constexpr int kConnectMs = 5000;
constexpr int kReconnectFirstMs = 10;
constexpr int kReconnectMostMs = 200;
constexpr int kBacklog = 4096;
// Messages that the library reads ahead from one connection; then the peer's TCP has to wait. Never so for a
// member: its delivery window has 1024 frames, and frames outside of it (acknowledgements, credits, signs of
// life) are fewer than what they answer.
constexpr int kReadAhead = 2048;
constexpr int kUnreadAnswers = 64;
constexpr int kProbeMs = 300;
constexpr int kDescriptorsToBegin = 20;  // context and first socket: without enough libzmq ends the process
constexpr int kDescriptorsPerLink = 8;   // a socket with its connection
constexpr int kLookEvery = 8;            // while the ROUTER is busy, all else is looked at in every 8th Poll

Status SetCommonOptions(ZmqSocket* socket, const ZmqOptions& options) {
  PS_RETURN_IF_ERROR(socket->SetInt(ZMQ_SNDHWM, 0));
  PS_RETURN_IF_ERROR(socket->SetInt(ZMQ_HANDSHAKE_IVL, kHandshakeMs));
  return socket->SetInt64(ZMQ_MAXMSGSIZE, options.max_message_bytes);
}

Status SetRouterOptions(ZmqSocket* socket, const ZmqOptions& options) {
  PS_RETURN_IF_ERROR(SetCommonOptions(socket, options));
  PS_RETURN_IF_ERROR(socket->SetInt(ZMQ_RCVHWM, kReadAhead));
  // Only answers to applicants go out here, and who does not read them gets no more.
  PS_RETURN_IF_ERROR(socket->SetInt(ZMQ_SNDHWM, kUnreadAnswers));
  PS_RETURN_IF_ERROR(socket->SetInt(ZMQ_BACKLOG, kBacklog));
  PS_RETURN_IF_ERROR(socket->SetInt(ZMQ_ROUTER_MANDATORY, 1));
  // With a domain peers of the protocol's first versions are refused, and what is no peer at all looks like
  // one of them. Nobody answers for the domain, so it changes nothing else.
  PS_RETURN_IF_ERROR(socket->SetText(ZMQ_ZAP_DOMAIN, "caravan"));
  // Anybody on this machine may connect to a Unix socket in the abstract name space.
  return socket->SetInt(ZMQ_IPC_FILTER_UID, static_cast<int>(geteuid()));
}

Status SetLinkOptions(ZmqSocket* socket, const ZmqOptions& options, bool v6) {
  PS_RETURN_IF_ERROR(SetCommonOptions(socket, options));
  if (options.keys.has_value()) PS_RETURN_IF_ERROR(SetCurveClient(socket, *options.keys));
  PS_RETURN_IF_ERROR(socket->SetInt(ZMQ_RCVHWM, 0));
  PS_RETURN_IF_ERROR(socket->SetInt(ZMQ_RECONNECT_IVL, kReconnectFirstMs));
  PS_RETURN_IF_ERROR(socket->SetInt(ZMQ_RECONNECT_IVL_MAX, kReconnectMostMs));
  PS_RETURN_IF_ERROR(socket->SetInt(ZMQ_CONNECT_TIMEOUT, kConnectMs));
  return socket->SetInt(ZMQ_IPV6, v6 ? 1 : 0);
}

int LowestPort(const Address& peer) { return IsUnix(peer) ? 0 : 1; }

class ZmqLink : public Link {
 public:
  explicit ZmqLink(std::shared_ptr<ZmqLinkSocket> socket) : socket_(std::move(socket)) {}
  ~ZmqLink() override { socket_->Close(0); }

  SendResult TrySend(const Frame& frame) override { return socket_->TrySend(frame); }
  size_t unreleased() const override { return socket_->unreleased(); }
  void Close() override { socket_->Close(0); }

 private:
  const std::shared_ptr<ZmqLinkSocket> socket_;
};

class ZmqTransport : public Transport {
 public:
  ZmqTransport(ZmqOptions options, std::shared_ptr<ZmqContext> context, std::shared_ptr<PollSet> poll_set)
      : options_(std::move(options)), context_(std::move(context)), poll_set_(std::move(poll_set)) {}
  ~ZmqTransport() override { Close(0); }

  // Opens the ROUTER. Once, before all else.
  Status Open();

  const char* name() const override { return "zmq"; }
  Result<Address> Bind(const Address& where) override;
  Result<std::unique_ptr<Link>> Connect(const Address& peer, uint64_t incarnation) override;
  Status Reply(const ReturnPath& to, const Frame& frame) override;
  int Poll(FrameSink* sink, int timeout_ms) override;
  int poll_fd() const override { return poll_set_->fd(); }
  std::string Probe(const Address& peer) const override;
  std::unique_ptr<ReachCheck> StartCheck(const Address& peer) const override;
  void Wake() override { poll_set_->Wake(); }
  void set_release_callback(std::function<void()> callback) override { hook_->Set(std::move(callback)); }
  void Close(int linger_ms) override;

 private:
  Result<std::shared_ptr<ZmqLinkSocket>> OpenLink(const Address& peer) PS_REQUIRES(links_mutex_);
  std::shared_ptr<ZmqLinkSocket> FindLink(uint64_t tag) PS_EXCLUDES(links_mutex_);
  // Refuses new links; those that exist.
  std::vector<std::shared_ptr<ZmqLinkSocket>> RefuseLinks() PS_EXCLUDES(links_mutex_);

  // Of the polling thread. Both append to arrivals_ until it has kMaxFramesPerPoll.
  // True if the ROUTER may have more.
  bool DrainRouter() PS_EXCLUDES(router_mutex_);
  // The sockets with these tags.
  void DrainReady(const std::vector<uint64_t>& tags) PS_EXCLUDES(router_mutex_);
  // Reads one; false if the ROUTER has no more.
  bool ReadRouter() PS_REQUIRES(router_mutex_);
  void OnPeerTag(uint64_t tag) PS_REQUIRES(router_mutex_);
  // Moves what the peers have to tell to news_.
  void TakeNews() PS_REQUIRES(router_mutex_);
  // Hands out what there is; the number of frames. `more`: no signal will tell of what is left.
  int Deliver(FrameSink* sink, bool more);
  bool HasSomething() const { return !arrivals_.empty() || !news_.empty(); }

  const ZmqOptions options_;
  const std::shared_ptr<ZmqContext> context_;
  const std::shared_ptr<PollSet> poll_set_;
  std::unique_ptr<ZapHandler> zap_;  // with keys; ends with the context
  const std::shared_ptr<ReleaseHook> hook_ = std::make_shared<ReleaseHook>();

  // Of the polling thread.
  std::vector<Arrival> arrivals_;
  std::vector<Frame> received_;       // of one message
  Peers::News news_;                  // to be told behind arrivals_
  bool wants_drain_ = false;          // Peers::WantsDrain
  std::vector<uint64_t> unfinished_;  // links that may have more, and no signal will come for it
  PollSet::Ready ready_;
  int busy_polls_ = 0;

  Mutex close_mutex_;   // held through Close; before the others
  Mutex router_mutex_;  // never held while a frame is handed to a sink, which may reply
  std::unique_ptr<ZmqSocket> router_ PS_GUARDED_BY(router_mutex_);  // null when closed
  std::unique_ptr<Peers> peers_ PS_GUARDED_BY(router_mutex_);       // the ROUTER's; goes before it
  bool bound_ PS_GUARDED_BY(router_mutex_) = false;

  Mutex links_mutex_;
  std::map<uint64_t, std::weak_ptr<ZmqLinkSocket>> links_ PS_GUARDED_BY(links_mutex_);
  uint64_t last_tag_ PS_GUARDED_BY(links_mutex_) = kReportTag;
  bool closed_ PS_GUARDED_BY(links_mutex_) = false;
};

Status ZmqTransport::Open() {
  Result<std::unique_ptr<ZmqSocket>> opened = ZmqSocket::Open(*context_, ZMQ_ROUTER);
  if (!opened.ok()) return opened.status();
  MutexLock lock(router_mutex_);
  router_ = std::move(opened).value();
  PS_RETURN_IF_ERROR(SetRouterOptions(router_.get(), options_));
  if (options_.keys.has_value()) {
    Result<std::unique_ptr<ZapHandler>> zap = ZapHandler::Start(*context_, options_.keys->public_key);
    PS_RETURN_IF_ERROR(zap.status());
    zap_ = std::move(zap).value();
    PS_RETURN_IF_ERROR(SetCurveServer(router_.get(), *options_.keys));
  }
  const Peers::Plan plan{kReportTag, static_cast<uint64_t>(options_.max_message_bytes)};
  Result<std::unique_ptr<Peers>> peers = Peers::Make(*context_, router_.get(), poll_set_, plan);
  if (!peers.ok()) return peers.status();
  peers_ = std::move(peers).value();
  return poll_set_->Add(router_->Descriptor(), kRouterTag);
}

Result<Address> ZmqTransport::Bind(const Address& where) {
  const Result<Address> resolved = ResolveEndpoint(where, 0);
  if (!resolved.ok()) return resolved.status();
  const Address& at = resolved.value();
  MutexLock lock(router_mutex_);
  if (router_ == nullptr) return Status::Cancelled("the transport is closed");
  if (bound_)
    return Status::FailedPrecondition("the transport listens at " + router_->LastEndpoint() + " already");
  PS_RETURN_IF_ERROR(router_->SetInt(ZMQ_IPV6, IsNumericV6(at.host) ? 1 : 0));
  const int error = router_->Bind(EndpointOf(at));
  if (error != 0) return BindError(where, error);
  bound_ = true;
  if (IsUnix(at)) return at;
  const int port = PortOf(router_->LastEndpoint());
  peers_->set_port(port);
  if (port == 0) return Status::Internal("ZeroMQ does not tell which port it listens at");
  return Address{where.host, port};
}

Result<std::unique_ptr<Link>> ZmqTransport::Connect(const Address& peer, uint64_t /*incarnation*/) {
  const Result<Address> resolved = ResolveEndpoint(peer, LowestPort(peer));
  if (!resolved.ok()) return resolved.status();
  MutexLock lock(links_mutex_);
  if (closed_) return Status::Cancelled("the transport is closed");
  Result<std::shared_ptr<ZmqLinkSocket>> socket = OpenLink(resolved.value());
  if (!socket.ok()) return socket.status();
  return std::unique_ptr<Link>(std::make_unique<ZmqLink>(std::move(socket).value()));
}

Result<std::shared_ptr<ZmqLinkSocket>> ZmqTransport::OpenLink(const Address& peer) {
  PS_RETURN_IF_ERROR(CheckDescriptors(kDescriptorsPerLink));
  Result<std::unique_ptr<ZmqSocket>> opened = ZmqSocket::Open(*context_, ZMQ_DEALER);
  if (!opened.ok()) return opened.status();
  std::unique_ptr<ZmqSocket> socket = std::move(opened).value();
  PS_RETURN_IF_ERROR(SetLinkOptions(socket.get(), options_, IsNumericV6(peer.host)));
  const int error = socket->Connect(EndpointOf(peer));
  if (error != 0)
    return Status::InvalidArgument("cannot connect to " + peer.ToString() + ": " + ZmqErrorText(error));
  const SendWindow::Limits limits{options_.max_lent_frames, std::numeric_limits<uint64_t>::max()};
  ZmqLinkSocket::Plan plan{++last_tag_, EndpointOf(peer), static_cast<size_t>(options_.max_message_bytes)};
  auto link = std::make_shared<ZmqLinkSocket>(std::move(plan), std::move(socket),
                                              std::make_shared<SendWindow>(limits, hook_), poll_set_);
  for (auto at = links_.begin(); at != links_.end();)
    at = at->second.expired() ? links_.erase(at) : std::next(at);
  links_[link->tag()] = link;
  PS_RETURN_IF_ERROR(link->Watch());
  return link;
}

std::shared_ptr<ZmqLinkSocket> ZmqTransport::FindLink(uint64_t tag) {
  MutexLock lock(links_mutex_);
  const auto found = links_.find(tag);
  return found == links_.end() ? nullptr : found->second.lock();
}

Status ZmqTransport::Reply(const ReturnPath& to, const Frame& frame) {
  if (const uint64_t tag = TagOfReturnPath(to)) {
    const std::shared_ptr<ZmqLinkSocket> link = FindLink(tag);
    return link == nullptr ? Status::Unavailable("the link is closed") : link->SendCopy(frame);
  }
  if (to.size() < 2 || to[0] != kRouterMark)
    return Status::InvalidArgument("no return path of a zmq transport");
  const std::string route = to.substr(1);
  MutexLock lock(router_mutex_);
  if (router_ == nullptr) return Status::Cancelled("the transport is closed");
  switch (WriteFrame(router_.get(), &route, frame, nullptr)) {
    case IoResult::kDone: return Status::Ok();
    case IoResult::kFailed: return Status::Cancelled("the transport is closed");
    default: return Status::Unavailable("the sender is not connected any more");
  }
}

bool ZmqTransport::ReadRouter() {
  RouterPeer peer;
  received_.clear();
  const ReadResult result = ReadFrames(router_.get(), &peer, &received_);
  if (result == ReadResult::kNothing || result == ReadResult::kFailed) return false;
  const ReturnPath from = kRouterMark + peer.route;
  const int probation_fd = peers_->OnMessage(peer, from) ? peer.fd : -1;
  if (result == ReadResult::kMalformed) news_.dropped.push_back(Counter::kRejectedMalformed);
  for (Frame& frame : received_) arrivals_.push_back({std::move(frame), from, probation_fd});
  return true;
}

bool ZmqTransport::DrainRouter() {
  MutexLock lock(router_mutex_);
  if (router_ == nullptr) return false;
  bool more = true;
  for (size_t reads = 0; more && reads < kMaxFramesPerPoll && arrivals_.size() < kMaxFramesPerPoll; ++reads)
    more = ReadRouter();
  peers_->OnBatch(!more);
  TakeNews();
  return more;
}

void ZmqTransport::OnPeerTag(uint64_t tag) {
  if (router_ == nullptr) return;
  if (tag == kReportTag) {
    peers_->OnReports();
  } else {
    peers_->OnBytes(Peers::ConnectionOfTag(tag));
  }
  TakeNews();
}

void ZmqTransport::TakeNews() {
  wants_drain_ = peers_->WantsDrain();
  Peers::News news = peers_->TakeNews();
  news_.dropped.insert(news_.dropped.end(), news.dropped.begin(), news.dropped.end());
  std::move(news.closed.begin(), news.closed.end(), std::back_inserter(news_.closed));
}

void ZmqTransport::DrainReady(const std::vector<uint64_t>& tags) {
  int malformed = 0;
  std::vector<uint64_t> unfinished;
  for (const uint64_t tag : tags) {
    if (tag == kRouterTag) continue;
    if (tag == kReportTag || Peers::ConnectionOfTag(tag) >= 0) {
      MutexLock lock(router_mutex_);
      OnPeerTag(tag);
      continue;
    }
    const std::shared_ptr<ZmqLinkSocket> link = FindLink(tag);
    if (link != nullptr && link->Drain(&arrivals_, &malformed)) unfinished.push_back(tag);
  }
  unfinished_.insert(unfinished_.end(), unfinished.begin(), unfinished.end());
  news_.dropped.insert(news_.dropped.end(), static_cast<size_t>(malformed), Counter::kRejectedMalformed);
}

int ZmqTransport::Deliver(FrameSink* sink, bool more) {
  const int count = static_cast<int>(arrivals_.size());
  for (Arrival& arrival : arrivals_) {
    sink->OnFrame(std::move(arrival.frame), arrival.from);
    if (arrival.probation_fd < 0 || !sink->IsFromMember()) continue;
    MutexLock lock(router_mutex_);
    if (peers_ != nullptr) peers_->Trust(arrival.probation_fd);
  }
  arrivals_.clear();
  const Peers::News news = std::exchange(news_, {});
  for (const Counter why : news.dropped) sink->OnDropped(why);
  for (const ReturnPath& path : news.closed) sink->OnPeerClosed(path);
  if (count == 0 && (more || !unfinished_.empty())) poll_set_->MarkReady(kRouterTag);  // 0 means the end
  return count;
}

int ZmqTransport::Poll(FrameSink* sink, int timeout_ms) {
  const int64_t deadline_ms = timeout_ms < 0 ? CondVar::kNever : Clock::Real().NowMs() + timeout_ms;
  for (;;) {
    // Receiving first: while there is traffic no system call is needed to learn that there is.
    bool more = DrainRouter();
    DrainReady(std::exchange(unfinished_, {}));
    if (HasSomething() && ++busy_polls_ % kLookEvery != 0) return Deliver(sink, more);
    more = more || !unfinished_.empty() || wants_drain_ || HasSomething();
    const int64_t left_ms =
        deadline_ms == CondVar::kNever ? -1 : std::max<int64_t>(0, deadline_ms - Clock::Real().NowMs());
    poll_set_->Wait(more ? 0 : static_cast<int>(left_ms), &ready_);
    DrainReady(ready_.tags);
    if (HasSomething() || ready_.woken) return Deliver(sink, more);
    if (!more && ready_.tags.empty() && left_ms == 0) return 0;
  }
}

std::string ZmqTransport::Probe(const Address& peer) const {
  if (IsUnix(peer)) {
    const bool accepts = StartSocketCheck(peer)->Look() == ReachCheck::State::kAccepts;
    return accepts ? kAcceptsButDoesNotAnswer : "nobody listens there";
  }
  const Status status = ProbeTcp(peer, kProbeMs);
  if (!status.ok()) return status.message();
  return std::string(kAcceptsButDoesNotAnswer) +
         (options_.keys.has_value() ? "; it may have other keys than those of PS_CURVE_DIR, or none"
                                    : "; it may want the keys of a PS_CURVE_DIR");
}

std::unique_ptr<ReachCheck> ZmqTransport::StartCheck(const Address& peer) const {
  const Result<Address> resolved = ResolveEndpoint(peer, LowestPort(peer));
  return StartSocketCheck(resolved.ok() ? resolved.value() : Address());
}

std::vector<std::shared_ptr<ZmqLinkSocket>> ZmqTransport::RefuseLinks() {
  MutexLock lock(links_mutex_);
  closed_ = true;
  std::vector<std::shared_ptr<ZmqLinkSocket>> open;
  for (const auto& [tag, weak] : links_) {
    if (std::shared_ptr<ZmqLinkSocket> link = weak.lock()) open.push_back(std::move(link));
  }
  links_.clear();
  return open;
}

void ZmqTransport::Close(int linger_ms) {
  MutexLock closing(close_mutex_);
  linger_ms = std::max(0, linger_ms);
  const std::vector<std::shared_ptr<ZmqLinkSocket>> links = RefuseLinks();
  hook_->Close();
  for (const auto& link : links) link->Close(linger_ms);
  {
    MutexLock lock(router_mutex_);
    peers_ = nullptr;
    if (router_ != nullptr) router_->Close(linger_ms);
    router_ = nullptr;
  }
  poll_set_->Close();
  context_->Terminate();
}

}  // namespace

Result<std::unique_ptr<Transport>> MakeZmqTransport(const ZmqOptions& options) {
  PS_RETURN_IF_ERROR(CheckDescriptors(kDescriptorsToBegin));
  Result<std::shared_ptr<PollSet>> poll_set = PollSet::Make();
  if (!poll_set.ok()) return poll_set.status();
  Result<std::shared_ptr<ZmqContext>> context = ZmqContext::Make(options.io_threads);
  if (!context.ok()) return context.status();
  auto transport =
      std::make_unique<ZmqTransport>(options, std::move(context).value(), std::move(poll_set).value());
  PS_RETURN_IF_ERROR(transport->Open());
  return std::unique_ptr<Transport>(std::move(transport));
}

}  // namespace ps

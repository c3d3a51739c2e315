#include "transport/zmq/peers.h"

#include <cstddef>
#include <optional>
#include <utility>

#include "transport/zmq/tcp_meter.h"

namespace ps {
namespace {

constexpr uint64_t kConnectionMark = uint64_t{1} << 62;
// The library's own buffers, its handshake, and what its protocol adds.
constexpr uint64_t kSlackBytes = 64 << 10;
// Twice what a member sends before it has an answer, see the delivery window of the van.
constexpr uint64_t kMaxUnreadBytes = 64 << 20;

}  // namespace

Result<std::unique_ptr<Peers>> Peers::Make(const ZmqContext& context, ZmqSocket* router,
                                           std::shared_ptr<PollSet> poll_set, const Plan& plan) {
  Result<std::unique_ptr<Monitor>> monitor = Monitor::Attach(context, router);
  if (!monitor.ok()) return monitor.status();
  PS_RETURN_IF_ERROR(poll_set->Add(monitor.value()->Descriptor(), plan.report_tag));
  auto peers = std::make_unique<Peers>(std::move(monitor).value(), std::move(poll_set), plan);
  peers->ReadReports();  // nothing yet; from now on the descriptor tells
  return peers;
}

// A message has a header and at most one part's worth of payload; another one may be in the library's hands
// between its buffer and us.
Peers::Peers(std::unique_ptr<Monitor> monitor, std::shared_ptr<PollSet> poll_set, const Plan& plan)
    : monitor_(std::move(monitor)),
      poll_set_(std::move(poll_set)),
      probation_({2 * plan.max_message_bytes + kSlackBytes, kMaxUnreadBytes + plan.max_message_bytes}) {}

int Peers::ConnectionOfTag(uint64_t tag) {
  const bool is_one = (tag & ~uint64_t{0x7fffffff}) == kConnectionMark;
  return is_one ? static_cast<int>(tag & 0x7fffffff) : -1;
}

bool Peers::OnMessage(const RouterPeer& peer, const ReturnPath& path) {
  if (peer.fd < 0) return false;
  if (!connections_.Knows(peer.fd, path)) {
    newcomers_.push_back({peer.fd, path, peer.wire_bytes});
    return true;
  }
  if (!probation_.Has(peer.fd)) return false;
  probation_.Read(peer.fd, peer.wire_bytes);
  return true;
}

void Peers::OnBatch(bool drained) {
  const size_t closing = closing_.size();
  Introduce();
  if (drained) {
    // Nothing is left, so no frame follows of what had closed before.
    const auto end = closing_.begin() + static_cast<std::ptrdiff_t>(closing);
    news_.closed.insert(news_.closed.end(), closing_.begin(), end);
    closing_.erase(closing_.begin(), end);
  }
  if (!measured_) return;
  // Behind Introduce, which may have noted messages; what is judged was measured before the batch.
  for (const int fd : probation_.TakeExceeding(drained)) {
    CutOff(fd, port_);
    news_.dropped.push_back(Counter::kRejectedSize);
  }
  measured_ = !drained;
}

void Peers::Introduce() {
  if (newcomers_.empty()) return;
  ReadReports();
  for (const Newcomer& newcomer : newcomers_) {
    connections_.Heard(newcomer.fd, newcomer.path);
    probation_.Read(newcomer.fd, newcomer.wire_bytes);
  }
  newcomers_.clear();
  for (ReturnPath& path : connections_.TakeClosed()) closing_.push_back(std::move(path));
}

void Peers::ReadReports() {
  for (ConnectionEvent event; monitor_->Read(&event);) {
    connections_.On(event);
    if (event.kind == ConnectionEvent::Kind::kAccepted) Watch(event.fd);
    if (event.kind == ConnectionEvent::Kind::kClosed) probation_.End(event.fd);
  }
  for (ReturnPath& path : connections_.TakeClosed()) closing_.push_back(std::move(path));
  const Connections::Ended ended = connections_.TakeEnded();
  news_.dropped.insert(news_.dropped.end(), static_cast<size_t>(ended.refused), Counter::kRejectedHandshake);
  news_.dropped.insert(news_.dropped.end(), static_cast<size_t>(ended.silent), Counter::kSilentConnections);
}

void Peers::Watch(int fd) {
  // Of others than TCP nothing can be measured: Unix sockets are this user's alone.
  if (!TakenBytes(fd, port_).has_value()) return;
  if (!poll_set_->AddChanges(fd, kConnectionMark | static_cast<uint64_t>(fd)).ok()) return;
  probation_.Begin(fd);
}

void Peers::OnBytes(int fd) {
  if (!probation_.Has(fd)) return;
  const std::optional<uint64_t> taken = TakenBytes(fd, port_);
  if (!taken.has_value()) return;
  probation_.Taken(fd, *taken);
  measured_ = true;
}

void Peers::Trust(int fd) {
  if (!probation_.Has(fd)) return;
  probation_.End(fd);
  poll_set_->Remove(fd);
}

}  // namespace ps

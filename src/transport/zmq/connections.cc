#include "transport/zmq/connections.h"

#include <algorithm>
#include <utility>

namespace ps {
namespace {

constexpr size_t kRemembered = 64;

}  // namespace

void Connections::On(const ConnectionEvent& event) {
  using Kind = ConnectionEvent::Kind;
  switch (event.kind) {
    case Kind::kAccepted: return Accepted(event.fd);
    case Kind::kClosed: return Closed(event.fd);
    case Kind::kReady: handshaking_ = std::max(0, handshaking_ - 1); return;
    case Kind::kRefused:
    case Kind::kBrokenOff: failure_ = event.kind; return;
  }
}

void Connections::Accepted(int fd) {
  if (IsOpen(fd)) Closed(fd);  // a report was lost
  open_[fd] = ReturnPath();
  ++handshaking_;
}

void Connections::Closed(int fd) {
  const auto found = open_.find(fd);
  if (found == open_.end()) return;
  const ReturnPath path = std::move(found->second);
  open_.erase(found);
  if (path.empty()) {
    CountEnded();
  } else {
    Tell(path);
  }
  failure_ = ConnectionEvent::Kind::kAccepted;
}

void Connections::CountEnded() {
  // Of a peer with a protocol older than handshakes, or none, nothing is reported but that it was cut off. A
  // link that was never used looks the same, but it has no handshake before it.
  const bool failed = failure_ != ConnectionEvent::Kind::kAccepted;
  const bool old = !failed && handshaking_ > 0;
  if (failed || old) --handshaking_;
  handshaking_ = std::max(0, handshaking_);
  ++(old || failure_ == ConnectionEvent::Kind::kRefused ? ended_.refused : ended_.silent);
}

bool Connections::Knows(int fd, const ReturnPath& path) const {
  const auto found = open_.find(fd);
  return found != open_.end() && found->second == path;
}

void Connections::Heard(int fd, const ReturnPath& path) {
  if (Knows(fd, path)) return;
  // A frame that was still on its way when its connection closed.
  if (std::find(told_.begin(), told_.end(), path) != told_.end()) return;
  const auto found = open_.find(fd);
  if (found == open_.end()) {
    Tell(path);  // came and went between two looks
    return;
  }
  if (!found->second.empty()) Tell(found->second);  // the same, and somebody has its descriptor already
  found->second = path;
}

std::vector<ReturnPath> Connections::TakeClosed() { return std::exchange(closed_, {}); }

void Connections::Tell(const ReturnPath& path) {
  closed_.push_back(path);
  told_.push_back(path);
  if (told_.size() > kRemembered) told_.pop_front();
}

}  // namespace ps

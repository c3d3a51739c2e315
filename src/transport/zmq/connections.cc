#include "transport/zmq/connections.h"

#include <algorithm>
#include <utility>

namespace ps {
namespace {

constexpr size_t kRemembered = 64;

}  // namespace

void Connections::Accepted(int fd) {
  Closed(fd);  // nothing to do unless a report was lost
  open_[fd] = ReturnPath();
}

void Connections::Closed(int fd) {
  const auto found = open_.find(fd);
  if (found == open_.end()) return;
  const ReturnPath path = std::move(found->second);
  open_.erase(found);
  if (!path.empty()) Tell(path);
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

#include "transport/zmq/probation.h"

namespace ps {

void Probation::Begin(int fd) { held_[fd] = Held(); }

void Probation::End(int fd) { held_.erase(fd); }

void Probation::Read(int fd, uint64_t bytes) {
  const auto found = held_.find(fd);
  if (found != held_.end()) found->second.read += bytes;
}

void Probation::Taken(int fd, uint64_t bytes) {
  const auto found = held_.find(fd);
  if (found == held_.end()) return;
  found->second.taken = bytes;
  found->second.measured = true;
}

std::vector<int> Probation::TakeExceeding(bool drained) {
  const uint64_t limit = drained ? limits_.unfinished : limits_.unread;
  std::vector<int> exceeding;
  for (auto& [fd, held] : held_) {
    if (!held.measured) continue;
    if (drained) held.measured = false;
    if (held.taken > held.read && held.taken - held.read > limit) exceeding.push_back(fd);
  }
  for (const int fd : exceeding) held_.erase(fd);
  return exceeding;
}

}  // namespace ps

#include "store/client_rounds.h"

#include <algorithm>

namespace ps {

ClientRounds::ClientRounds(const TableSpec& spec, int num_servers)
    : are_counted_(spec.consistency.mode != Consistency::kAsp),
      auto_close_(spec.auto_close),
      sent_(static_cast<std::size_t>(num_servers)),
      parts_(static_cast<std::size_t>(num_servers)) {}

void ClientRounds::GoOnFrom(const std::vector<std::uint64_t>& rounds) {
  MutexLock lock(mutex_);
  sent_ = rounds;
  round_ = rounds.empty() ? 0 : *std::max_element(rounds.begin(), rounds.end());
  std::fill(parts_.begin(), parts_.end(), 0);
}

ClientRounds::Stamp ClientRounds::Contribute(const std::vector<int>& servers) {
  Stamp stamp;
  MutexLock lock(mutex_);
  if (are_counted_) {
    stamp.round = round_ + 1;
    stamp.at.assign(servers.size(), stamp.round);
    if (auto_close_) ++round_;
    for (std::size_t i = 0; !auto_close_ && i < servers.size(); ++i)
      ++parts_[static_cast<std::size_t>(servers[i])];
  } else {
    for (const int server : servers) stamp.at.push_back(++sent_[static_cast<std::size_t>(server)]);
  }
  return stamp;
}

std::uint64_t ClientRounds::RoundAt(int server) {
  MutexLock lock(mutex_);
  return are_counted_ ? round_ : sent_[static_cast<std::size_t>(server)];
}

bool ClientRounds::IsOpen() {
  MutexLock lock(mutex_);
  return std::any_of(parts_.begin(), parts_.end(), [](std::uint32_t parts) { return parts != 0; });
}

ClientRounds::Closed ClientRounds::Close() {
  MutexLock lock(mutex_);
  Closed closed{++round_, parts_};
  std::fill(parts_.begin(), parts_.end(), 0);
  return closed;
}

}  // namespace ps

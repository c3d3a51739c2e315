#include "van/liveness.h"

#include <algorithm>

namespace ps {

void Liveness::Watch(int node, int64_t now_ms) { last_heard_ms_[node] = now_ms; }

void Liveness::Forget(int node) { last_heard_ms_.erase(node); }

bool Liveness::Heard(int node, int64_t now_ms) {
  const auto entry = last_heard_ms_.find(node);
  if (entry == last_heard_ms_.end()) return false;
  // Two threads may have read the clock in the other order.
  entry->second = std::max(entry->second, now_ms);
  return true;
}

int64_t Liveness::SilentFor(int node, int64_t now_ms) const {
  const auto entry = last_heard_ms_.find(node);
  if (entry == last_heard_ms_.end()) return -1;
  return std::max<int64_t>(0, now_ms - entry->second);
}

std::vector<int> Liveness::Silent(int64_t timeout_ms, int64_t now_ms) const {
  std::vector<int> silent;
  if (timeout_ms <= 0) return silent;
  for (const auto& [node, heard_ms] : last_heard_ms_) {
    if (now_ms - heard_ms >= timeout_ms) silent.push_back(node);
  }
  return silent;
}

}  // namespace ps

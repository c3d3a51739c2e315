#include "van/open_requests.h"

#include <climits>
#include <utility>

namespace ps {

void OpenRequests::Keep(const Outgoing& request) {
  requests_.emplace(++last_number_, request);
  number_of_.emplace(NameOf(request.header), last_number_);
}

void OpenRequests::Erase(std::map<uint64_t, Outgoing>::iterator request) {
  const auto same = number_of_.equal_range(NameOf(request->second.header));
  for (auto entry = same.first; entry != same.second; ++entry) {
    if (entry->second != request->first) continue;
    number_of_.erase(entry);
    break;
  }
  requests_.erase(request);
}

void OpenRequests::Answered(const Header& answer) {
  // Equal names are in the order they were kept.
  const auto oldest = number_of_.lower_bound(NameOf(answer));
  if (oldest == number_of_.end() || oldest->first != NameOf(answer)) return;
  requests_.erase(oldest->second);
  number_of_.erase(oldest);
}

std::vector<uint64_t> OpenRequests::Forget(int app_id, int customer_id, int timestamp) {
  std::vector<uint64_t> forgotten;
  const bool every = timestamp == kEveryTimestamp;
  const Name first{app_id, customer_id, every ? INT_MIN : timestamp};
  const Name last{app_id, customer_id, every ? INT_MAX : timestamp};
  auto entry = number_of_.lower_bound(first);
  while (entry != number_of_.end() && entry->first <= last) {
    const auto request = requests_.find(entry->second);
    forgotten.push_back(request->second.bytes());
    requests_.erase(request);
    entry = number_of_.erase(entry);
  }
  return forgotten;
}

std::vector<Outgoing> OpenRequests::TakeIssuedBefore(int64_t before_ms) {
  std::vector<Outgoing> taken;
  while (!requests_.empty() && oldest_ms() <= before_ms) {
    taken.push_back(requests_.begin()->second);
    Erase(requests_.begin());
  }
  return taken;
}

std::vector<Outgoing> OpenRequests::TakeAll() {
  std::vector<Outgoing> taken;
  taken.reserve(requests_.size());
  for (auto& [number, request] : requests_) taken.push_back(std::move(request));
  requests_.clear();
  number_of_.clear();
  return taken;
}

std::vector<uint64_t> OpenRequests::Sizes() const {
  std::vector<uint64_t> sizes;
  for (const auto& [number, request] : requests_) sizes.push_back(request.bytes());
  return sizes;
}

}  // namespace ps

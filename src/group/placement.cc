#include "group/placement.h"

#include <algorithm>

namespace ps {

void Placement::Add(std::uint64_t key, std::size_t bytes, const std::vector<DeviceId>& devices) {
  Remove(key);
  waiting_.push_back({key, bytes, devices});
}

std::optional<DeviceId> Placement::Find(std::uint64_t key) {
  PlaceWaiting();
  const auto found = placed_.find(key);
  if (found == placed_.end()) return std::nullopt;
  return found->second.device;
}

void Placement::Remove(std::uint64_t key) {
  const auto is_key = [key](const Waiting& waiting) { return waiting.key == key; };
  waiting_.erase(std::remove_if(waiting_.begin(), waiting_.end(), is_key), waiting_.end());
  const auto found = placed_.find(key);
  if (found == placed_.end()) return;
  const DeviceId& device = found->second.device;
  bytes_[{device.kind, device.index}] -= found->second.bytes;
  placed_.erase(found);
}

void Placement::PlaceWaiting() {
  std::stable_sort(waiting_.begin(), waiting_.end(),
                   [](const Waiting& a, const Waiting& b) { return a.bytes > b.bytes; });
  for (const Waiting& key : waiting_) Place(key);
  waiting_.clear();
}

void Placement::Place(const Waiting& key) {
  const auto rank = [this](const DeviceId& device) {
    const Name name(device.kind, device.index);
    return std::make_pair(bytes_[name], name);
  };
  const DeviceId& chosen =
      *std::min_element(key.devices.begin(), key.devices.end(),
                        [&](const DeviceId& a, const DeviceId& b) { return rank(a) < rank(b); });
  bytes_[{chosen.kind, chosen.index}] += key.bytes;
  placed_[key.key] = {chosen, key.bytes};
}

}  // namespace ps

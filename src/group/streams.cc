#include "group/streams.h"

#include <algorithm>

#include "device/devices.h"

namespace ps {

Streams::Lease::Lease(Streams* owner) : owner_(owner), set_(owner->Take()) {}

Streams::Lease::~Lease() {
  // Who ends without Finish tells of another failure already.
  static_cast<void>(Finish());
  owner_->Give(std::move(set_));
}

Stream* Streams::Lease::On(const DeviceId& device) {
  const auto is_of = [&](const auto& of_device) { return of_device.first == device; };
  auto found = std::find_if(set_.begin(), set_.end(), is_of);
  if (found == set_.end()) {
    set_.emplace_back(device, FindDevice(device).value()->NewStream());
    found = set_.end() - 1;
  }
  Stream* const stream = found->second.get();
  if (std::find(used_.begin(), used_.end(), stream) == used_.end()) used_.push_back(stream);
  return stream;
}

Status Streams::Lease::Finish() {
  Status first;
  for (Stream* const stream : used_) {
    const Status status = stream->Synchronize();
    if (first.ok()) first = status;
  }
  used_.clear();
  return first;
}

Streams::Set Streams::Take() {
  MutexLock lock(mutex_);
  if (free_.empty()) return {};
  Set set = std::move(free_.back());
  free_.pop_back();
  return set;
}

void Streams::Give(Set set) {
  MutexLock lock(mutex_);
  free_.push_back(std::move(set));
}

}  // namespace ps

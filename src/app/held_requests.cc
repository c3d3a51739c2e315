#include "app/held_requests.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace ps {

bool HeldRequests::Hold(Message* request, int64_t until_ms) {
  const int64_t bytes = request->meta.data_size + static_cast<int64_t>(request->meta.body.size());
  if (num_requests_ >= kMaxRequests || bytes > kMaxBytes - bytes_) return false;
  ++num_requests_;
  bytes_ += bytes;
  lanes_[LaneOf(request->meta)].push_back({std::move(*request), until_ms});
  return true;
}

Message HeldRequests::TakeFront(std::deque<Held>* lane) {
  Message message = std::move(lane->front().message);
  lane->pop_front();
  --num_requests_;
  bytes_ -= message.meta.data_size + static_cast<int64_t>(message.meta.body.size());
  return message;
}

std::optional<Message> HeldRequests::TakeReleased() {
  for (int lane = 0; lane < kNumLanes; ++lane) {
    if (released_[lane] && !lanes_[lane].empty()) return TakeFront(&lanes_[lane]);
  }
  return std::nullopt;
}

bool HeldRequests::has_released() const {
  for (int lane = 0; lane < kNumLanes; ++lane) {
    if (released_[lane] && !lanes_[lane].empty()) return true;
  }
  return false;
}

std::optional<Message> HeldRequests::TakeExpired(int64_t now_ms) {
  for (auto& lane : lanes_) {
    if (!lane.empty() && lane.front().until_ms <= now_ms) return TakeFront(&lane);
  }
  return std::nullopt;
}

std::optional<Message> HeldRequests::TakeAny() {
  for (auto& lane : lanes_) {
    if (!lane.empty()) return TakeFront(&lane);
  }
  return std::nullopt;
}

int64_t HeldRequests::next_expiry_ms() const {
  int64_t next = std::numeric_limits<int64_t>::max();
  for (const auto& lane : lanes_) {
    if (!lane.empty()) next = std::min(next, lane.front().until_ms);
  }
  return next;
}

}  // namespace ps

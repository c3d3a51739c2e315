// Higher priority first, and inside one priority strictly in the order of Push: a heap would hand
// out equals in any order, and pushes of equal priority must be applied as they were issued.
#ifndef PS_BASE_PRIORITY_QUEUE_H_
#define PS_BASE_PRIORITY_QUEUE_H_

#include <algorithm>
#include <cstddef>
#include <deque>
#include <functional>
#include <iterator>
#include <map>
#include <utility>

namespace ps {

// Not thread-safe: it sits inside something that is.
template <typename T>
class PriorityQueue {
 public:
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }

  // O(log number of priorities in use).
  void Push(int priority, T item) {
    lanes_[priority].push_back(std::move(item));
    ++size_;
  }

  // Front, front_priority and Pop need a queue that is not empty.
  T& Front() { return lanes_.begin()->second.front(); }
  const T& Front() const { return lanes_.begin()->second.front(); }
  int front_priority() const { return lanes_.begin()->first; }

  T Pop() {
    auto lane = lanes_.begin();
    T item = std::move(lane->second.front());
    lane->second.pop_front();
    if (lane->second.empty()) lanes_.erase(lane);
    --size_;
    return item;
  }

  // Visits all items in the order they would be popped.
  template <typename Visit>
  void for_each(Visit visit) const {
    for (const auto& lane : lanes_) std::for_each(lane.second.begin(), lane.second.end(), visit);
  }
  template <typename Visit>
  void for_each(Visit visit) {
    for (auto& lane : lanes_) std::for_each(lane.second.begin(), lane.second.end(), visit);
  }

  // Removes the items `matches` accepts and tells how many; the others keep their order.
  template <typename Predicate>
  std::size_t RemoveIf(Predicate matches) {
    const std::size_t before = size_;
    for (auto lane = lanes_.begin(); lane != lanes_.end();) {
      auto& items = lane->second;
      const std::size_t old_size = items.size();
      items.erase(std::remove_if(items.begin(), items.end(), matches), items.end());
      size_ -= old_size - items.size();
      lane = items.empty() ? lanes_.erase(lane) : std::next(lane);
    }
    return before - size_;
  }

  void Clear() {
    lanes_.clear();
    size_ = 0;
  }

 private:
  // No lane is empty.
  std::map<int, std::deque<T>, std::greater<int>> lanes_;
  std::size_t size_ = 0;
};

}  // namespace ps

#endif  // PS_BASE_PRIORITY_QUEUE_H_

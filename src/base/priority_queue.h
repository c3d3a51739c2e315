// Higher priority first, and inside one priority strictly in the order of Push: a heap would hand
// out equals in any order, and pushes of equal priority must be applied as they were issued.
#ifndef PS_BASE_PRIORITY_QUEUE_H_
#define PS_BASE_PRIORITY_QUEUE_H_

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "base/fifo.h"

namespace ps {

// Not thread-safe: it sits inside something that is.
template <typename T>
class PriorityQueue {
 public:
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }

  // O(log number of priorities in use), where the priority is in use or the only one.
  void Push(int priority, T&& item) {
    LaneOf(priority).Push(std::move(item));
    ++size_;
  }
  void Push(int priority, const T& item) { Push(priority, T(item)); }

  // Front, front_priority and Pop need a queue that is not empty.
  T& Front() { return lanes_.back().items.Front(); }
  const T& Front() const { return lanes_.back().items.Front(); }
  int front_priority() const { return lanes_.back().priority; }

  T Pop() {
    T item = lanes_.back().items.Pop();
    OnPopped();
    return item;
  }
  // The same for large items, moved once.
  void Pop(T* item) {
    lanes_.back().items.Pop(item);
    OnPopped();
  }

  // Visits all items in the order they would be popped.
  template <typename Visit>
  void for_each(Visit visit) const {
    for (auto lane = lanes_.rbegin(); lane != lanes_.rend(); ++lane) {
      for (std::size_t i = 0; i < lane->items.size(); ++i) visit(lane->items[i]);
    }
  }
  template <typename Visit>
  void for_each(Visit visit) {
    for (auto lane = lanes_.rbegin(); lane != lanes_.rend(); ++lane) {
      for (std::size_t i = 0; i < lane->items.size(); ++i) visit(lane->items[i]);
    }
  }

  // Removes the items `matches` accepts and tells how many; the others keep their order.
  template <typename Predicate>
  std::size_t RemoveIf(Predicate matches) {
    const std::size_t before = size_;
    size_ = 0;
    for (Lane& lane : lanes_) {
      lane.items.RemoveIf(matches);
      size_ += lane.items.size();
    }
    const auto is_empty = [](const Lane& lane) { return lane.items.empty(); };
    lanes_.erase(std::remove_if(lanes_.begin(), lanes_.end(), is_empty), lanes_.end());
    return before - size_;
  }

 private:
  struct Lane {
    int priority;
    Fifo<T> items;
  };

  void OnPopped() {
    Fifo<T>& items = lanes_.back().items;
    if (items.empty()) {
      spare_ = std::move(items);
      lanes_.pop_back();
    }
    --size_;
  }

  Fifo<T>& LaneOf(int priority) {
    if (!lanes_.empty() && lanes_.back().priority == priority) return lanes_.back().items;
    const auto is_lower = [](const Lane& lane, int wanted) { return lane.priority < wanted; };
    const auto at = std::lower_bound(lanes_.begin(), lanes_.end(), priority, is_lower);
    if (at != lanes_.end() && at->priority == priority) return at->items;
    return lanes_.insert(at, Lane{priority, std::move(spare_)})->items;
  }

  std::vector<Lane> lanes_;  // by priority, the highest last; none is empty
  Fifo<T> spare_;            // what the last empty one has allocated
  std::size_t size_ = 0;
};

}  // namespace ps

#endif  // PS_BASE_PRIORITY_QUEUE_H_

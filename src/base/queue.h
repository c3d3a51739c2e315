// A queue between threads that can be closed, so that nobody waits on it for ever.
#ifndef PS_BASE_QUEUE_H_
#define PS_BASE_QUEUE_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>

#include "base/clock.h"
#include "base/mutex.h"

namespace ps {

// First in, first out; any number of pushing and popping threads. Unbounded: who pushes is bounded
// by credits, not here.
template <typename T>
class BlockingQueue {
 public:
  BlockingQueue() = default;
  BlockingQueue(const BlockingQueue&) = delete;
  BlockingQueue& operator=(const BlockingQueue&) = delete;

  // False, and nothing is queued, after Close.
  bool Push(T item) PS_EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    if (closed_) return false;
    items_.push_back(std::move(item));
    not_empty_.NotifyOne();
    return true;
  }

  // Waits for an item. Empty when the queue is closed and everything in it was taken.
  std::optional<T> Pop() PS_EXCLUDES(mutex_) { return PopUntil(Deadline::Never()); }

  // The same, waiting until `deadline` of the real clock at most.
  std::optional<T> PopUntil(Deadline deadline) PS_EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    bool in_time = true;
    while (items_.empty() && !closed_ && in_time) {
      in_time = not_empty_.WaitUntil(mutex_, deadline.at_ms());
    }
    return TakeFirst();
  }

  // What is there now, without waiting.
  std::optional<T> TryPop() PS_EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return TakeFirst();
  }

  // Refuses new items and wakes all who wait; what is queued can still be taken. Idempotent.
  void Close() PS_EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    closed_ = true;
    not_empty_.NotifyAll();
  }

  std::size_t size() const PS_EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return items_.size();
  }

 private:
  std::optional<T> TakeFirst() PS_REQUIRES(mutex_) {
    if (items_.empty()) return std::nullopt;
    std::optional<T> item(std::move(items_.front()));
    items_.pop_front();
    return item;
  }

  mutable Mutex mutex_;
  CondVar not_empty_;
  std::deque<T> items_ PS_GUARDED_BY(mutex_);
  bool closed_ PS_GUARDED_BY(mutex_) = false;
};

}  // namespace ps

#endif  // PS_BASE_QUEUE_H_

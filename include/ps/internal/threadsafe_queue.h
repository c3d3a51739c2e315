// A queue between threads, for programs that use the original's.
#ifndef PS_INTERNAL_THREADSAFE_QUEUE_H_
#define PS_INTERNAL_THREADSAFE_QUEUE_H_

#include <condition_variable>
#include <mutex>
#include <queue>
#include <utility>

namespace ps {

// First in, first out. Any number of pushing and popping threads. It cannot be closed: whoever
// waits needs something pushed to go on.
template <typename T>
class ThreadsafeQueue {
 public:
  ThreadsafeQueue() = default;
  ThreadsafeQueue(const ThreadsafeQueue&) = delete;
  ThreadsafeQueue& operator=(const ThreadsafeQueue&) = delete;

  void Push(T item) {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      items_.push(std::move(item));
    }
    not_empty_.notify_one();
  }

  // Waits for an item and moves it to `*item`.
  void WaitAndPop(T* item) {
    std::unique_lock<std::mutex> lock(mutex_);
    not_empty_.wait(lock, [this] { return !items_.empty(); });
    *item = std::move(items_.front());
    items_.pop();
  }

 private:
  std::mutex mutex_;
  std::condition_variable not_empty_;
  std::queue<T> items_;
};

}  // namespace ps

#endif  // PS_INTERNAL_THREADSAFE_QUEUE_H_

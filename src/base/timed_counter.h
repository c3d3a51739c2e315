// How often something was done, and how long it took.
#ifndef PS_BASE_TIMED_COUNTER_H_
#define PS_BASE_TIMED_COUNTER_H_

#include <atomic>
#include <cstdint>

namespace ps {

// Thread-safe; the two numbers of one moment need not be consistent with each other.
class TimedCounter {
 public:
  TimedCounter() = default;
  TimedCounter(const TimedCounter&) = delete;
  TimedCounter& operator=(const TimedCounter&) = delete;

  void Add(std::int64_t duration_ns) {
    count_.fetch_add(1, std::memory_order_relaxed);
    total_ns_.fetch_add(duration_ns, std::memory_order_relaxed);
  }
  std::int64_t count() const { return count_.load(std::memory_order_relaxed); }
  std::int64_t total_ns() const { return total_ns_.load(std::memory_order_relaxed); }
  // 0 where there was none.
  double average_ns() const {
    const std::int64_t times = count();
    return times == 0 ? 0 : static_cast<double>(total_ns()) / static_cast<double>(times);
  }

 private:
  std::atomic<std::int64_t> count_{0};
  std::atomic<std::int64_t> total_ns_{0};
};

}  // namespace ps

#endif  // PS_BASE_TIMED_COUNTER_H_

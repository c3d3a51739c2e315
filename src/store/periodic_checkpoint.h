#ifndef PS_STORE_PERIODIC_CHECKPOINT_H_
#define PS_STORE_PERIODIC_CHECKPOINT_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <utility>

namespace ps {

// Says when a worker is to begin a checkpoint by itself: at the first read after the interval is over, when
// all that belongs to a step of its training has been contributed. Not while one is under way. Thread-safe.
class PeriodicCheckpoint {
 public:
  // Begins one; Ended is called when it has ended, however.
  using Begin = std::function<void()>;

  PeriodicCheckpoint(std::int64_t interval_ms, std::int64_t now_ms, Begin begin)
      : interval_ms_(interval_ms), begin_(std::move(begin)), due_ms_(now_ms + interval_ms) {}

  void BeforeRead(std::int64_t now_ms) {
    std::int64_t due_ms = due_ms_.load(std::memory_order_relaxed);
    if (now_ms < due_ms || is_stopped_.load()) return;
    if (due_ms_.compare_exchange_strong(due_ms, kUnderWay)) begin_();
  }
  // None begins any more.
  void Stop() { is_stopped_.store(true); }
  void Ended(std::int64_t now_ms) { due_ms_.store(now_ms + interval_ms_); }

 private:
  static constexpr std::int64_t kUnderWay = INT64_MAX;

  const std::int64_t interval_ms_;
  const Begin begin_;
  std::atomic<std::int64_t> due_ms_;
  std::atomic<bool> is_stopped_{false};
};

}  // namespace ps
#endif  // PS_STORE_PERIODIC_CHECKPOINT_H_

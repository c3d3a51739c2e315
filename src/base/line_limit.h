// Keeps a stranger, or a fault that repeats itself, from filling the log.
#ifndef PS_BASE_LINE_LIMIT_H_
#define PS_BASE_LINE_LIMIT_H_

#include <cstdint>
#include <limits>
#include <utility>

namespace ps {

// Allows one line per interval and counts those it holds back. Pure: time is passed in. One thread.
class LineLimit {
 public:
  explicit LineLimit(std::int64_t interval_ms) : interval_ms_(interval_ms) {}

  // True: write it now.
  bool Allows(std::int64_t now_ms) {
    if (now_ms < next_ms_) {
      if (held_back_ < std::numeric_limits<int>::max()) ++held_back_;
      return false;
    }
    next_ms_ = now_ms + interval_ms_;
    return true;
  }

  // How many were held back since the last call: what the next line may tell.
  int TakeHeldBack() { return std::exchange(held_back_, 0); }

 private:
  const std::int64_t interval_ms_;
  std::int64_t next_ms_ = 0;
  int held_back_ = 0;
};

}  // namespace ps

#endif  // PS_BASE_LINE_LIMIT_H_

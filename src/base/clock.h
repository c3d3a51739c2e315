// Time as the runtime sees it: monotonic, never the wall clock, so that a clock step can kill nobody.
#ifndef PS_BASE_CLOCK_H_
#define PS_BASE_CLOCK_H_

#include <cstdint>

#include "base/mutex.h"

namespace ps {

// Where threaded shells read the time; the rules behind them get it as a number. Thread-safe.
class Clock {
 public:
  virtual ~Clock() = default;

  // Milliseconds and microseconds since a fixed moment of the past; both count from the same one.
  virtual std::int64_t NowMs() const = 0;
  virtual std::int64_t NowUs() const = 0;

  // The machine's monotonic clock, the one CondVar::WaitUntil waits by.
  static const Clock& Real();
};

// A moment after which waiting ends; a plain value.
class Deadline {
 public:
  // Never expires.
  Deadline() = default;

  // `timeout_ms` from now; 0 means none. A negative one has expired already.
  static Deadline After(std::int64_t timeout_ms, const Clock& clock = Clock::Real());
  // The same for code that is given the time.
  static Deadline AfterAt(std::int64_t now_ms, std::int64_t timeout_ms);
  static Deadline Never() { return Deadline(); }

  bool never() const { return at_ms_ == CondVar::kNever; }
  bool expired(std::int64_t now_ms) const { return now_ms >= at_ms_; }
  // Milliseconds left, at least 0; CondVar::kNever when it never expires.
  std::int64_t remaining(std::int64_t now_ms) const;
  // For CondVar::WaitUntil; CondVar::kNever when it never expires.
  std::int64_t at_ms() const { return at_ms_; }

  friend bool operator==(Deadline a, Deadline b) { return a.at_ms_ == b.at_ms_; }
  friend bool operator!=(Deadline a, Deadline b) { return a.at_ms_ != b.at_ms_; }
  // The earlier one is the smaller one.
  friend bool operator<(Deadline a, Deadline b) { return a.at_ms_ < b.at_ms_; }

 private:
  explicit Deadline(std::int64_t at_ms) : at_ms_(at_ms) {}

  std::int64_t at_ms_ = CondVar::kNever;
};

}  // namespace ps

#endif  // PS_BASE_CLOCK_H_

#include "base/clock.h"

#include <algorithm>
#include <chrono>

#include "base/never_destroyed.h"

namespace ps {
namespace {

class SteadyClock : public Clock {
 public:
  std::int64_t NowMs() const override { return Now<std::chrono::milliseconds>(); }
  std::int64_t NowUs() const override { return Now<std::chrono::microseconds>(); }

 private:
  template <typename Unit>
  static std::int64_t Now() {
    const auto since_start = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration_cast<Unit>(since_start).count();
  }
};

}  // namespace

const Clock& Clock::Real() {
  static NeverDestroyed<SteadyClock> clock;
  return clock.value;
}

Deadline Deadline::After(std::int64_t timeout_ms, const Clock& clock) {
  return AfterAt(clock.NowMs(), timeout_ms);
}

Deadline Deadline::AfterAt(std::int64_t now_ms, std::int64_t timeout_ms) {
  if (timeout_ms == 0 || timeout_ms > CondVar::kNever - now_ms) return Never();
  return Deadline(now_ms + timeout_ms);
}

std::int64_t Deadline::remaining(std::int64_t now_ms) const {
  if (never()) return CondVar::kNever;
  return std::max<std::int64_t>(at_ms_ - now_ms, 0);
}

}  // namespace ps

// A clock that moves only when a test moves it.
#ifndef PS_TESTS_SUPPORT_FAKE_CLOCK_H_
#define PS_TESTS_SUPPORT_FAKE_CLOCK_H_

#include <atomic>
#include <cstdint>

#include "base/clock.h"

namespace ps {

class FakeClock : public Clock {
 public:
  explicit FakeClock(std::int64_t now_ms = 1000) : now_us_(now_ms * 1000) {}

  std::int64_t NowMs() const override { return now_us_.load() / 1000; }
  std::int64_t NowUs() const override { return now_us_.load(); }

  void AdvanceMs(std::int64_t ms) { now_us_.fetch_add(ms * 1000); }
  void AdvanceUs(std::int64_t us) { now_us_.fetch_add(us); }

 private:
  std::atomic<std::int64_t> now_us_;
};

}  // namespace ps

#endif  // PS_TESTS_SUPPORT_FAKE_CLOCK_H_

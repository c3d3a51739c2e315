// A number that processes wait for.
#ifndef PS_TESTS_BENCH_FLOORS_COUNTER_H_
#define PS_TESTS_BENCH_FLOORS_COUNTER_H_

#include <atomic>
#include <cstdint>

#include "tests/bench/floors/futex.h"

namespace ps::floors {

// One process raises it and others wait for it. It runs around, so it is compared by difference.
class Counter {
 public:
  // The number, once it is no longer `known`.
  std::uint32_t AwaitBeyond(std::uint32_t known) {
    for (int i = 0; i < kSpins; ++i) {
      const std::uint32_t now = value_.load(std::memory_order_acquire);
      if (now != known) return now;
      Pause();
    }
    while (true) {
      sleeps_.store(1);
      const std::uint32_t now = value_.load();
      if (now != known) {
        sleeps_.store(0);
        return now;
      }
      FutexWait(&value_, known);
    }
  }
  void Raise(std::uint32_t value) {
    value_.store(value);
    if (sleeps_.load() != 0 && sleeps_.exchange(0) != 0) FutexWake(&value_);
  }

 private:
  static constexpr int kSpins = 200;  // before sleeping: about the price of being woken

  alignas(128) std::atomic<std::uint32_t> value_{0};
  alignas(128) std::atomic<std::uint32_t> sleeps_{0};
};

}  // namespace ps::floors

#endif  // PS_TESTS_BENCH_FLOORS_COUNTER_H_

// A word in shared memory that processes sleep on.
#ifndef PS_TESTS_BENCH_FLOORS_FUTEX_H_
#define PS_TESTS_BENCH_FLOORS_FUTEX_H_

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <cstdint>

namespace ps::floors {

// Returns when somebody wakes, and at once when the word is not `seen` any more; now and then for no reason.
inline void FutexWait(std::atomic<std::uint32_t>* word, std::uint32_t seen) {
  syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(word), FUTEX_WAIT, seen, nullptr, nullptr, 0);
}

inline void FutexWake(std::atomic<std::uint32_t>* word) {
  syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(word), FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

inline void Pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

}  // namespace ps::floors

#endif  // PS_TESTS_BENCH_FLOORS_FUTEX_H_

#include "base/bell.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>

#include "base/mutex.h"

namespace ps {
namespace {

// The kernel's own; older headers do not have them.
constexpr long kFutexWaitv = 449;  // NOLINT: as syscall() takes it
constexpr uint32_t kSize32 = 2;
constexpr uint32_t kPrivate = 128;

struct Waiter {
  uint64_t value = 0;
  uint64_t address = 0;
  uint32_t flags = 0;
  uint32_t reserved = 0;
};
static_assert(sizeof(Waiter) == 24, "the kernel's struct futex_waitv");

Waiter WaiterOf(const std::atomic<uint32_t>* word, uint32_t value, uint32_t flags) {
  return {value, reinterpret_cast<uintptr_t>(word), flags, 0};
}

}  // namespace

bool Bell::CanSleep() {
  static const bool can = [] {
    std::atomic<uint32_t> word{1};
    const Waiter changed = WaiterOf(&word, 0, kSize32 | kPrivate);
    return syscall(kFutexWaitv, &changed, 1, 0, nullptr, CLOCK_MONOTONIC) < 0 && errno == EAGAIN;
  }();
  return can;
}

void Bell::Ring() {
  rings_.fetch_add(1);
  if (!is_asleep_.load()) return;
  syscall(SYS_futex, &rings_, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
}

void Bell::Sleep(uint32_t rings, const std::vector<Word>& words, int64_t deadline_ms) {
  std::array<Waiter, kMostWords + 1> waiters;
  size_t count = 0;
  waiters[count++] = WaiterOf(&rings_, rings, kSize32 | kPrivate);
  for (const Word& word : words) {
    if (count < waiters.size()) waiters[count++] = WaiterOf(word.address, word.value, kSize32);
  }
  timespec until{};
  until.tv_sec = static_cast<time_t>(deadline_ms / 1000);
  until.tv_nsec = static_cast<long>(deadline_ms % 1000) * 1000000;  // NOLINT: the type of tv_nsec
  const bool is_bounded = deadline_ms < CondVar::kNever / 1000;
  syscall(kFutexWaitv, waiters.data(), count, 0, is_bounded ? &until : nullptr, CLOCK_MONOTONIC);
}

void Bell::WakeWord(std::atomic<uint32_t>* word) {
  syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

}  // namespace ps

// A child of fork() has a copy of the node but none of its threads: nothing there would ever be sent or
// finished.
#ifndef PS_BASE_FORK_H_
#define PS_BASE_FORK_H_

#include <atomic>

#include "ps/status.h"

namespace ps {

// In a process that was forked while threads of the runtime were running: what the program did wrong, and
// what it may do. Everywhere else Ok, also in a process forked before there were any. Cheap; calls that would
// wait for those threads ask first.
inline Status CheckNotForked();
inline bool IsForked();

// For Thread: one more (1), or one less (-1), is running.
void CountRunningThreads(int change);

namespace internal {

extern std::atomic<bool> forked;
Status Forked();

}  // namespace internal

inline bool IsForked() { return internal::forked.load(std::memory_order_relaxed); }
inline Status CheckNotForked() { return IsForked() ? internal::Forked() : Status::Ok(); }

}  // namespace ps

#endif  // PS_BASE_FORK_H_

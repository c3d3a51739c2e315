// Mutex, scoped lock and condition variable with clang's thread-safety annotations: the compiler
// checks that guarded members are touched under their lock only. With other compilers the
// annotations vanish. There is no lock()/unlock() by hand: hold a MutexLock.
#ifndef PS_BASE_MUTEX_H_
#define PS_BASE_MUTEX_H_

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <limits>
#include <mutex>

#if defined(__clang__)
#define PS_THREAD_ANNOTATION(x) __attribute__((x))
#else
#define PS_THREAD_ANNOTATION(x)
#endif

#define PS_CAPABILITY(name) PS_THREAD_ANNOTATION(capability(name))
#define PS_SCOPED_CAPABILITY PS_THREAD_ANNOTATION(scoped_lockable)
#define PS_GUARDED_BY(mutex) PS_THREAD_ANNOTATION(guarded_by(mutex))
#define PS_PT_GUARDED_BY(mutex) PS_THREAD_ANNOTATION(pt_guarded_by(mutex))
#define PS_ACQUIRED_BEFORE(...) PS_THREAD_ANNOTATION(acquired_before(__VA_ARGS__))
#define PS_ACQUIRED_AFTER(...) PS_THREAD_ANNOTATION(acquired_after(__VA_ARGS__))
#define PS_REQUIRES(...) PS_THREAD_ANNOTATION(requires_capability(__VA_ARGS__))
#define PS_EXCLUDES(...) PS_THREAD_ANNOTATION(locks_excluded(__VA_ARGS__))
#define PS_ACQUIRE(...) PS_THREAD_ANNOTATION(acquire_capability(__VA_ARGS__))
#define PS_TRY_ACQUIRE(...) PS_THREAD_ANNOTATION(try_acquire_capability(__VA_ARGS__))
#define PS_RELEASE(...) PS_THREAD_ANNOTATION(release_capability(__VA_ARGS__))
#define PS_RETURN_CAPABILITY(x) PS_THREAD_ANNOTATION(lock_returned(x))
#define PS_NO_THREAD_SAFETY_ANALYSIS PS_THREAD_ANNOTATION(no_thread_safety_analysis)

namespace ps {

// Not recursive. Only MutexLock and CondVar can reach inside.
class PS_CAPABILITY("mutex") Mutex {
 public:
  Mutex() = default;
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;

 private:
  friend class MutexLock;
  friend class CondVar;

  std::mutex mutex_;
};

// Holds `mutex` for its own life.
class PS_SCOPED_CAPABILITY MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) PS_ACQUIRE(mutex) : mutex_(mutex) { mutex_.mutex_.lock(); }
  ~MutexLock() PS_RELEASE() { mutex_.mutex_.unlock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  friend class CondVar;

  Mutex& mutex_;
};

// Waits may return without cause: call them in a loop around the condition.
//   MutexLock lock(mutex_);
//   while (queue_.empty()) not_empty_.Wait(mutex_);
class CondVar {
 public:
  // A deadline that never comes.
  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

  CondVar() = default;
  CondVar(const CondVar&) = delete;
  CondVar& operator=(const CondVar&) = delete;

  // Gives `mutex` up while waiting and holds it again on return.
  void Wait(Mutex& mutex) PS_REQUIRES(mutex) {
    std::unique_lock<std::mutex> lock(mutex.mutex_, std::adopt_lock);
    condition_.wait(lock);
    lock.release();
  }
  void Wait(MutexLock& held) PS_NO_THREAD_SAFETY_ANALYSIS { Wait(held.mutex_); }

  // The same, until `deadline_ms` of Clock::Real() at most. False when that time has come.
  bool WaitUntil(Mutex& mutex, std::int64_t deadline_ms) PS_REQUIRES(mutex) {
    if (deadline_ms >= kFarthestMs) {
      Wait(mutex);
      return true;
    }
    const std::chrono::steady_clock::time_point deadline{std::chrono::milliseconds(deadline_ms)};
    std::unique_lock<std::mutex> lock(mutex.mutex_, std::adopt_lock);
    const std::cv_status outcome = condition_.wait_until(lock, deadline);
    lock.release();
    return outcome == std::cv_status::no_timeout;
  }
  bool WaitUntil(MutexLock& held, std::int64_t deadline_ms) PS_NO_THREAD_SAFETY_ANALYSIS {
    return WaitUntil(held.mutex_, deadline_ms);
  }

  void NotifyOne() { condition_.notify_one(); }
  void NotifyAll() { condition_.notify_all(); }

 private:
  // Beyond this the nanoseconds of std::chrono would overflow (about 146 years).
  static constexpr std::int64_t kFarthestMs = kNever / 2 / 1000000;

  std::condition_variable condition_;
};

}  // namespace ps

#endif  // PS_BASE_MUTEX_H_

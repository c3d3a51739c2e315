#ifndef PS_VAN_IO_LOOP_H_
#define PS_VAN_IO_LOOP_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>

#include "base/mutex.h"
#include "base/thread.h"

namespace ps {

// The `ps-io` thread of a Van: timers and deferred sends. Sleeps until the next timer is due or
// somebody wakes it; uses no CPU in between.
class IoLoop {
 public:
  // Called with the time; returns when it wants to be called next (CondVar::kNever = when woken).
  using Tick = std::function<int64_t(int64_t now_ms)>;

  explicit IoLoop(Tick tick);
  ~IoLoop();  // = Stop()
  IoLoop(const IoLoop&) = delete;
  IoLoop& operator=(const IoLoop&) = delete;

  void Start();
  // Ends and joins the thread. Idempotent. Not from the tick.
  void Stop();

  // Runs the tick soon. Any thread.
  void Wake();
  // Runs the tick at `at_ms` or before. Costs one atomic load when a tick is due earlier anyway.
  void WakeAt(int64_t at_ms);

 private:
  void Run();
  int64_t TickOnce();
  // Waits for the next tick; false when stopped.
  bool WaitForDue();

  const Tick tick_;
  std::atomic<int64_t> due_ms_{0};  // written under mutex_
  Mutex mutex_;
  CondVar changed_;
  bool stopped_ PS_GUARDED_BY(mutex_) = false;
  std::unique_ptr<Thread> thread_;
};

}  // namespace ps
#endif  // PS_VAN_IO_LOOP_H_

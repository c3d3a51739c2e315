#ifndef PS_VAN_RECEIVER_H_
#define PS_VAN_RECEIVER_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "base/mutex.h"
#include "base/thread.h"
#include "transport/transport.h"
#include "van/van_core.h"

namespace ps {

// The `ps-rx` thread of a Van: polls the transport and runs what others hand it. Blocks on nothing but
// the poll. Threads that wait for what a frame brings may help it (ReceiveToken).
class Receiver : public VanHelp {
 public:
  // Both outlive the receiver. `wake_at` makes somebody call OnTimer at that time.
  Receiver(Transport* transport, FrameSink* sink, std::function<void(int64_t at_ms)> wake_at);
  ~Receiver() override;  // = Stop()
  Receiver(const Receiver&) = delete;
  Receiver& operator=(const Receiver&) = delete;

  // From now on threads may help: what frames are handed to is complete.
  void Start();
  // Runs what was posted before, then ends and joins the thread; helpers are sent away. Idempotent.
  void Stop();
  // Runs `task` on the thread, after tasks posted before. Dropped once stopped.
  void Post(std::function<void()> task);

  bool Help(const HelpWish& wish) override;
  std::shared_ptr<Dependents> dependents() const override;
  // `ps-rx` takes over from a helper that has not come back.
  void OnTimer();

 private:
  HelpOutcome TryHelp(const HelpWish& wish);
  void Run();
  // False when stopped.
  bool RunOnce();
  // False when stopped and nothing is left.
  bool RunTasks();
  void RunAll(const std::vector<std::function<void()>>& tasks);
  static void RunTask(const std::function<void()>& task);

  Transport* const transport_;
  FrameSink* const sink_;
  SharedReception* const shared_;  // of the transport, or null; its token is held while tasks run
  const std::function<void(int64_t)> wake_at_;
  std::atomic<bool> is_timer_set_{false};
  std::atomic<uint64_t> num_left_{0};  // how often a helper has left and frames woke nobody
  uint64_t seen_left_ = 0;             // by OnTimer, whose own these two are
  int64_t arm_after_ms_ = 1;
  std::atomic<bool> refuses_help_{true};  // before Start and after Stop; written under mutex_
  Mutex mutex_;
  std::vector<std::function<void()>> tasks_ PS_GUARDED_BY(mutex_);
  bool stopped_ PS_GUARDED_BY(mutex_) = false;
  std::atomic<int> num_helping_{0};
  CondVar helper_left_;
  std::unique_ptr<Thread> thread_;
};

}  // namespace ps
#endif  // PS_VAN_RECEIVER_H_

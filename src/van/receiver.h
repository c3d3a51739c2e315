#ifndef PS_VAN_RECEIVER_H_
#define PS_VAN_RECEIVER_H_

#include <functional>
#include <memory>
#include <vector>

#include "base/mutex.h"
#include "base/thread.h"
#include "transport/transport.h"

namespace ps {

// The `ps-rx` thread of a Van: polls the transport and runs what others hand it. Blocks on nothing but
// the poll.
class Receiver {
 public:
  // Both outlive the receiver.
  Receiver(Transport* transport, FrameSink* sink);
  ~Receiver();  // = Stop()
  Receiver(const Receiver&) = delete;
  Receiver& operator=(const Receiver&) = delete;

  void Start();
  // Runs what was posted before, then ends and joins the thread. Idempotent.
  void Stop();
  // Runs `task` on the thread, after tasks posted before. Dropped once stopped.
  void Post(std::function<void()> task);

 private:
  void Run();
  // False when stopped.
  bool RunOnce();
  // False when stopped and nothing is left.
  bool RunTasks();
  static void RunTask(const std::function<void()>& task);

  Transport* const transport_;
  FrameSink* const sink_;
  Mutex mutex_;
  std::vector<std::function<void()>> tasks_ PS_GUARDED_BY(mutex_);
  bool stopped_ PS_GUARDED_BY(mutex_) = false;
  std::unique_ptr<Thread> thread_;
};

}  // namespace ps
#endif  // PS_VAN_RECEIVER_H_

#ifndef PS_COLLECTIVE_OPEN_OPERATION_H_
#define PS_COLLECTIVE_OPEN_OPERATION_H_

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "ps/status.h"

namespace ps {

// An operation as its caller and its ticket see it. Any thread.
class OpenOperation {
 public:
  using Continuation = std::function<void(const Status&)>;

  // `finish`: after success, before it is done.
  OpenOperation(std::string name, bool is_async, std::function<Status()> finish)
      : name_(std::move(name)), is_async_(is_async), finish_(std::move(finish)) {}

  const std::string& name() const { return name_; }
  bool is_async() const { return is_async_; }

  bool done() const {
    MutexLock lock(mutex_);
    return is_done_;
  }
  // Once done.
  Status outcome() const {
    MutexLock lock(mutex_);
    return outcome_;
  }
  // Nobody cares what becomes of it.
  void LetGo() { is_let_go_ = true; }
  bool is_let_go() const { return is_let_go_; }
  // The outcome, once. What is to follow, for the caller to see to.
  std::vector<Continuation> Finish(const Status& outcome);
  // True: it is kept until it is done. False: it is done, and `*continuation` is the caller's to run.
  bool Keep(Continuation* continuation);

 private:
  const std::string name_;
  const bool is_async_;
  const std::function<Status()> finish_;
  std::atomic<bool> is_let_go_{false};
  mutable Mutex mutex_;
  bool is_done_ PS_GUARDED_BY(mutex_) = false;
  Status outcome_ PS_GUARDED_BY(mutex_);
  std::vector<Continuation> continuations_ PS_GUARDED_BY(mutex_);
};

}  // namespace ps

#endif  // PS_COLLECTIVE_OPEN_OPERATION_H_

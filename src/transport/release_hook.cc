#include "transport/release_hook.h"

#include <utility>

namespace ps {

void ReleaseHook::Set(std::function<void()> callback) {
  MutexLock lock(mutex_);
  callback_ = std::move(callback);
}

void ReleaseHook::Call() {
  std::function<void()> callback;
  {
    MutexLock lock(mutex_);
    if (closed_ || !callback_) return;
    callback = callback_;
    ++running_;
  }
  callback();
  MutexLock lock(mutex_);
  if (--running_ == 0) idle_.NotifyAll();
}

void ReleaseHook::Close() {
  MutexLock lock(mutex_);
  closed_ = true;
  while (running_ > 0) idle_.Wait(mutex_);
}

}  // namespace ps

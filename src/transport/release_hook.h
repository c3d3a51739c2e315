#ifndef PS_TRANSPORT_RELEASE_HOOK_H_
#define PS_TRANSPORT_RELEASE_HOOK_H_

#include <functional>

#include "base/mutex.h"

namespace ps {

// The release callback of a transport, shared with everything that may release frames: other transports'
// polling threads, a library's own threads. It outlives the transport, the callback does not. Thread-safe.
class ReleaseHook {
 public:
  // Before the first Call.
  void Set(std::function<void()> callback) PS_EXCLUDES(mutex_);

  // Runs the callback, with no lock held; nothing after Close.
  void Call() PS_EXCLUDES(mutex_);

  // Waits for calls that run; none begins afterwards. Not from the callback itself. Idempotent.
  void Close() PS_EXCLUDES(mutex_);

 private:
  Mutex mutex_;
  CondVar idle_;
  std::function<void()> callback_ PS_GUARDED_BY(mutex_);
  int running_ PS_GUARDED_BY(mutex_) = 0;
  bool closed_ PS_GUARDED_BY(mutex_) = false;
};

}  // namespace ps
#endif  // PS_TRANSPORT_RELEASE_HOOK_H_

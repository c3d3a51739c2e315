#ifndef PS_TRANSPORT_SEND_WINDOW_H_
#define PS_TRANSPORT_SEND_WINDOW_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/mutex.h"
#include "transport/release_hook.h"

namespace ps {

// Counts what a link has taken and not released, refuses what is beyond its bound, and calls the hook once
// for every refusal, when half of the bound is free again: then it is worth trying. Thread-safe; shared by
// the link and its frames, because frames outlive links.
class SendWindow {
 public:
  struct Limits {
    size_t max_frames = 0;
    uint64_t max_bytes = 0;  // one larger frame may go alone
  };

  SendWindow(Limits limits, std::shared_ptr<ReleaseHook> hook);

  // Takes room for one frame. On false the hook will be called, unless a later try succeeds before. One
  // thread at a time.
  bool TryTake(uint64_t bytes) PS_EXCLUDES(mutex_);
  // Gives it back; may call the hook on this thread, never while a TryTake of the same window succeeds.
  void Release(uint64_t bytes) PS_EXCLUDES(mutex_);

  size_t frames() const PS_EXCLUDES(mutex_);

  // The link is closed: the hook is called once more, when the last frame is released (not if none is out).
  void CallWhenEmpty() PS_EXCLUDES(mutex_);
  // Until nothing is out any more; false at the deadline.
  bool WaitEmpty(int64_t deadline_ms) PS_EXCLUDES(mutex_);

 private:
  const Limits limits_;
  const std::shared_ptr<ReleaseHook> hook_;
  mutable Mutex mutex_;
  size_t frames_ PS_GUARDED_BY(mutex_) = 0;
  uint64_t bytes_ PS_GUARDED_BY(mutex_) = 0;
  bool refused_ PS_GUARDED_BY(mutex_) = false;
  bool closed_ PS_GUARDED_BY(mutex_) = false;
  CondVar empty_;
  int num_waiting_ PS_GUARDED_BY(mutex_) = 0;
};

// The room of one frame in a window; given back when the claim goes. Empty claims hold nothing.
class SendClaim {
 public:
  SendClaim() = default;
  // Adopts what window->TryTake(bytes) has taken.
  SendClaim(std::shared_ptr<SendWindow> window, uint64_t bytes);
  ~SendClaim() { Release(); }
  SendClaim(SendClaim&& other) noexcept = default;
  SendClaim& operator=(SendClaim&& other) noexcept;

  void Release();

 private:
  std::shared_ptr<SendWindow> window_;
  uint64_t bytes_ = 0;
};

}  // namespace ps
#endif  // PS_TRANSPORT_SEND_WINDOW_H_

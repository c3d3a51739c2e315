#include "transport/send_window.h"

#include <utility>

namespace ps {

SendWindow::SendWindow(Limits limits, std::shared_ptr<ReleaseHook> hook)
    : limits_(limits), hook_(std::move(hook)) {}

bool SendWindow::TryTake(uint64_t bytes) {
  MutexLock lock(mutex_);
  const bool over_bytes = frames_ > 0 && (bytes > limits_.max_bytes || bytes_ > limits_.max_bytes - bytes);
  refused_ = frames_ >= limits_.max_frames || over_bytes;
  if (refused_) return false;
  ++frames_;
  bytes_ += bytes;
  return true;
}

void SendWindow::Release(uint64_t bytes) {
  {
    MutexLock lock(mutex_);
    --frames_;
    bytes_ -= bytes;
    if (frames_ == 0 && num_waiting_ > 0) empty_.NotifyAll();
    const bool worth_trying = frames_ <= limits_.max_frames / 2 && bytes_ <= limits_.max_bytes / 2;
    const bool is_last = closed_ && frames_ == 0;
    if (!is_last && (!refused_ || !worth_trying)) return;
    refused_ = false;
  }
  hook_->Call();
}

bool SendWindow::WaitEmpty(int64_t deadline_ms) {
  MutexLock lock(mutex_);
  ++num_waiting_;
  bool in_time = true;
  while (frames_ > 0 && in_time) in_time = empty_.WaitUntil(mutex_, deadline_ms);
  --num_waiting_;
  return frames_ == 0;
}

void SendWindow::CallWhenEmpty() {
  MutexLock lock(mutex_);
  closed_ = true;
}

size_t SendWindow::frames() const {
  MutexLock lock(mutex_);
  return frames_;
}

SendClaim::SendClaim(std::shared_ptr<SendWindow> window, uint64_t bytes)
    : window_(std::move(window)), bytes_(bytes) {}

SendClaim& SendClaim::operator=(SendClaim&& other) noexcept {
  if (this == &other) return *this;
  Release();
  window_ = std::move(other.window_);
  bytes_ = other.bytes_;
  return *this;
}

void SendClaim::Release() {
  if (window_ == nullptr) return;
  const std::shared_ptr<SendWindow> window = std::move(window_);
  window_ = nullptr;
  window->Release(bytes_);
}

}  // namespace ps

#include "base/receive_token.h"

namespace ps {

void Dependents::WakeReceiver() {
  if (!is_left_.load() || !is_left_.exchange(false)) return;
  MutexLock lock(mutex_);
  if (wake_ != nullptr) wake_();
}

void Dependents::SetWake(std::function<void()> wake) {
  MutexLock lock(mutex_);
  wake_ = std::move(wake);
}

void ReceiveToken::Acquire() PS_NO_THREAD_SAFETY_ANALYSIS {
  MutexLock lock(mutex_);
  if (is_held_) {
    ++num_wanting_;
    wanted_.store(true, std::memory_order_relaxed);
    while (is_held_) released_.Wait(mutex_);
    --num_wanting_;
    wanted_.store(num_wanting_ > 0, std::memory_order_relaxed);
  }
  is_held_ = true;
}

void ReceiveToken::Release() PS_NO_THREAD_SAFETY_ANALYSIS {
  MutexLock lock(mutex_);
  is_held_ = false;
  if (num_wanting_ + num_yielding_ > 0) released_.NotifyAll();
}

void ReceiveToken::Yield() {
  MutexLock lock(mutex_);
  is_held_ = false;
  released_.NotifyAll();
  ++num_yielding_;
  while (is_held_ || num_wanting_ > 0) released_.Wait(mutex_);
  --num_yielding_;
  is_held_ = true;
}

uint64_t ReceiveToken::BeginHelp(const HelpWish& wish) {
  if (has_helper() && wish.rank <= rank_) return 0;
  RingHelper();
  dependents_->SetAttended();
  helper_ = ++last_helper_;
  rank_ = wish.rank;
  bell_ = wish.bell;
  return helper_;
}

void ReceiveToken::RingHelper() {
  if (has_helper()) bell_->Ring();
}

}  // namespace ps

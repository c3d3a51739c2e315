#include "store/one_at_a_time.h"

namespace ps {

bool OneAtATime::IsMine() {
  MutexLock lock(mutex_);
  return depth_ > 0 && holder_ == std::this_thread::get_id();
}

void OneAtATime::Enter() {
  const std::thread::id self = std::this_thread::get_id();
  MutexLock lock(mutex_);
  while (depth_ > 0 && holder_ != self) free_.Wait(mutex_);
  holder_ = self;
  ++depth_;
}

void OneAtATime::Leave() {
  MutexLock lock(mutex_);
  if (--depth_ == 0) free_.NotifyOne();
}

}  // namespace ps

#include "collective/open_operation.h"

#include "base/guarded.h"

namespace ps {

std::vector<OpenOperation::Continuation> OpenOperation::Finish(const Status& outcome) {
  const Status finished = outcome.ok() && finish_ ? Guarded(finish_) : outcome;
  std::vector<Continuation> continuations;
  MutexLock lock(mutex_);
  outcome_ = finished;
  is_done_ = true;
  continuations.swap(continuations_);
  return continuations;
}

bool OpenOperation::Keep(Continuation* continuation) {
  MutexLock lock(mutex_);
  if (is_done_) return false;
  continuations_.push_back(std::move(*continuation));
  return true;
}

}  // namespace ps

// What has failed on a stream: for streams whose work is done elsewhere than it is told of.
#ifndef PS_DEVICE_STREAM_FAILURES_H_
#define PS_DEVICE_STREAM_FAILURES_H_

#include <cstdint>
#include <utility>

#include "base/mutex.h"
#include "ps/status.h"

namespace ps {

// Of the time between two calls of Synchronize. Work has numbers that grow; failures may be told in any
// order, and the one of the least number is the first. Any thread.
class StreamFailures {
 public:
  // The work of this number has failed. Nothing if `status` is ok.
  void Add(std::uint64_t number, Status status) PS_EXCLUDES(mutex_) {
    if (status.ok()) return;
    MutexLock lock(mutex_);
    if (!first_.ok() && number_ <= number) return;
    number_ = number;
    first_ = std::move(status);
  }
  // The first failure, if its number is below this one.
  Status Before(std::uint64_t number) const PS_EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return number_ < number ? first_ : Status::Ok();
  }

 private:
  mutable Mutex mutex_;
  std::uint64_t number_ PS_GUARDED_BY(mutex_) = 0;
  Status first_ PS_GUARDED_BY(mutex_);
};

}  // namespace ps

#endif  // PS_DEVICE_STREAM_FAILURES_H_

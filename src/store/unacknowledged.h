#ifndef PS_STORE_UNACKNOWLEDGED_H_
#define PS_STORE_UNACKNOWLEDGED_H_

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "ps/status.h"
#include "store/server_link.h"

namespace ps {

// The contributions of a client that its servers have not confirmed yet, for Flush. Thread-safe.
class Unacknowledged {
 public:
  // Before it is sent; then, what to wait for; in the end, which may come first, its outcome.
  std::uint64_t Begin() {
    MutexLock lock(mutex_);
    open_.emplace(++last_, std::nullopt);
    return last_;
  }
  void Sent(std::uint64_t id, const SentRequest& request) {
    MutexLock lock(mutex_);
    const auto found = open_.find(id);
    if (found != open_.end()) found->second = request;
  }
  void End(std::uint64_t id, const Status& outcome) {
    MutexLock lock(mutex_);
    open_.erase(id);
    if (first_error_.ok()) first_error_ = outcome;
  }

  // All that were sent and have not ended.
  std::vector<SentRequest> Open() {
    MutexLock lock(mutex_);
    std::vector<SentRequest> requests;
    for (const auto& [id, request] : open_) {
      if (request) requests.push_back(*request);
    }
    return requests;
  }
  // The first failure since the last call.
  Status TakeError() {
    MutexLock lock(mutex_);
    return std::exchange(first_error_, Status::Ok());
  }

 private:
  Mutex mutex_;
  std::map<std::uint64_t, std::optional<SentRequest>> open_ PS_GUARDED_BY(mutex_);
  std::uint64_t last_ PS_GUARDED_BY(mutex_) = 0;
  Status first_error_ PS_GUARDED_BY(mutex_);
};

}  // namespace ps
#endif  // PS_STORE_UNACKNOWLEDGED_H_

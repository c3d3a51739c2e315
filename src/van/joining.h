#ifndef PS_VAN_JOINING_H_
#define PS_VAN_JOINING_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/mutex.h"
#include "ps/status.h"
#include "van/proof.h"

namespace ps {

// Holds the thread that called Start until the cluster is complete, somebody says no, or the deadline
// (PS_START_TIMEOUT) passes. Meanwhile it tries again and says every 5 s what it waits for. Thread-safe.
class Joining {
 public:
  // What is waited for, for the waiting line and the error: `subject (5 of 60 s): detail`.
  struct Reason {
    std::string subject;
    std::string detail;
  };
  struct Plan {
    std::string node_name;   // for the log
    int64_t timeout_ms = 0;  // 0 = none
    int64_t retry_ms = 1000;
    // Called at once, then every retry_ms and when there is a new challenge, which it is given (zeros: none
    // yet). May be empty.
    std::function<void(const Digest& challenge)> retry;
    // `progress` is empty until the scheduler answered. Called without a lock; may take a moment.
    std::function<Reason(const std::string& progress)> describe;
  };

  // The scheduler wants the registration again, with a proof over this nonce.
  void OnChallenge(const Digest& nonce);
  // The scheduler has our registration; who is there so far.
  void OnProgress(const std::string& progress);
  // The end of waiting; the first one counts.
  void OnOutcome(const Status& outcome);

  Status Wait(const Plan& plan);

 private:
  Digest Challenge();

  Mutex mutex_;
  CondVar changed_;
  std::string progress_ PS_GUARDED_BY(mutex_);
  Digest challenge_ PS_GUARDED_BY(mutex_){};
  bool is_new_challenge_ PS_GUARDED_BY(mutex_) = false;
  std::optional<Status> outcome_ PS_GUARDED_BY(mutex_);
};

}  // namespace ps
#endif  // PS_VAN_JOINING_H_

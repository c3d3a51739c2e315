#ifndef PS_APP_FINISHED_REQUESTS_H_
#define PS_APP_FINISHED_REQUESTS_H_

#include <array>
#include <cstddef>
#include <deque>
#include <string>
#include <unordered_map>
#include <vector>

#include "ps/status.h"

namespace ps {

// What is remembered of requests that are done, in fixed memory: the outcome of the last 1024 and of the last
// 65,536 that failed, so that a Wait that comes late (after any number of other requests) still tells the
// truth. Pure: one thread, no clock.
class FinishedRequests {
 public:
  static constexpr std::size_t kRemembered = 1024;
  static constexpr std::size_t kRememberedFailures = 65536;

  FinishedRequests();

  // `observed`: somebody was told of the failure already.
  void Record(int timestamp, int num_answers, const Status& status, bool observed) {
    last_[SlotOf(timestamp)] = {timestamp, num_answers};
    if (!status.ok()) RecordFailure(timestamp, status, observed);
  }
  // The timestamp begins a new life.
  void Forget(int timestamp);

  // The failure of `timestamp`, which counts as told from now on; Ok when it succeeded or is forgotten.
  Status TellOutcome(int timestamp);
  // The answers counted, -1 when forgotten.
  int NumAnswers(int timestamp) const;
  // True if it failed: late answers to it are no surprise.
  bool Failed(int timestamp) const { return failures_.count(timestamp) != 0; }

  // One line about the failures nobody was told of, which count as told from now on; empty when there are
  // none.
  std::string TellUnobserved();

 private:
  struct Entry {
    int timestamp = -1;
    int num_answers = 0;
  };
  struct Failure {
    Status status;
    bool observed = false;
  };

  static std::size_t SlotOf(int timestamp) { return static_cast<std::size_t>(timestamp) % kRemembered; }
  void RecordFailure(int timestamp, const Status& status, bool observed);
  void DropOldestFailure();

  std::vector<Entry> last_;  // kRemembered entries, by timestamp modulo their number
  std::unordered_map<int, Failure> failures_;
  std::deque<int> failure_order_;  // oldest first; may name timestamps that were forgotten
  std::size_t unobserved_dropped_ = 0;
};

}  // namespace ps
#endif  // PS_APP_FINISHED_REQUESTS_H_

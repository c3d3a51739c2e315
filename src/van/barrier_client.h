#ifndef PS_VAN_BARRIER_CLIENT_H_
#define PS_VAN_BARRIER_CLIENT_H_

#include <cstdint>
#include <map>

#include "base/clock.h"
#include "base/mutex.h"
#include "ps/status.h"
#include "van/control.h"

namespace ps {

// A node's own side of barriers: numbers its rounds per group and holds the threads that wait. Two
// threads in the same barrier share a round and are both released. Thread-safe.
class BarrierClient {
 public:
  struct Entry {
    uint64_t round = 0;
    bool first = false;  // this thread has to tell the scheduler
  };

  Entry Enter(int group);
  // Until the release of that round (its outcome), or kDeadlineExceeded with `late` as text.
  Status Wait(int group, uint64_t round, Deadline deadline, const std::string& late);
  // Whether that round has ended, or no round can end any more: not if the scheduler is only silent.
  bool IsOver(int group, uint64_t round);
  void OnRelease(const BarrierNotice& release);
  // Ends all rounds on their way with `why`, and all later ones.
  void Fail(const Status& why);
  // The same until Resume: the scheduler is silent. Its rounds go on meanwhile; who enters one again after
  // Resume shares it.
  void Interrupt(const Status& why);
  void Resume();

 private:
  struct Group {
    uint64_t open = 0;                    // round on its way, 0 = none
    uint64_t finished = 0;                // last round that ended
    std::map<uint64_t, Status> failures;  // of ended rounds; the last few
  };

  Mutex mutex_;
  CondVar released_;
  std::map<int, Group> groups_ PS_GUARDED_BY(mutex_);
  Status failed_ PS_GUARDED_BY(mutex_);
  Status interrupted_ PS_GUARDED_BY(mutex_);
};

}  // namespace ps
#endif  // PS_VAN_BARRIER_CLIENT_H_

#ifndef PS_GROUP_JOB_QUEUE_H_
#define PS_GROUP_JOB_QUEUE_H_

#include <functional>
#include <memory>

#include "group/workers.h"

namespace ps {

// Runs jobs on threads of Workers: the highest priority first, equal ones in the order they came, and of each
// kind no more at once than allowed. Any thread.
class JobQueue {
 public:
  enum Kind { kFollow, kDeliver, kMerge };  // of equal priority: in this order
  static constexpr int kNumKinds = 3;
  using Job = std::function<void()>;

  struct Limits {
    int merges = 1;
    int deliveries = 1;
  };
  // `owner`: whom the jobs belong to, see GroupTicket::OnThread. Workers outlive it.
  JobQueue(Workers* workers, const void* owner, const Limits& limits);
  ~JobQueue();  // = Close()
  JobQueue(const JobQueue&) = delete;
  JobQueue& operator=(const JobQueue&) = delete;

  // False: it has closed, and the job never runs. What it throws is logged.
  bool Post(Kind kind, int priority, Job job);
  // Lets go of what has not begun, but what follows others (kFollow), which the caller runs. Returns when no
  // job runs. Called by a job, it does not wait for that one, nor for others that call it.
  void Close();

 private:
  class State;

  Workers* const workers_;
  const std::shared_ptr<State> state_;  // of threads that come later, too
};

}  // namespace ps

#endif  // PS_GROUP_JOB_QUEUE_H_

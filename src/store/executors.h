#ifndef PS_STORE_EXECUTORS_H_
#define PS_STORE_EXECUTORS_H_

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "base/queue.h"
#include "base/thread.h"

namespace ps {

class Postoffice;

// The threads `ps-srv-<i>` of a server, one per lane. What is posted to a lane runs in the order posted, one
// at a time, so that what belongs to a lane needs no lock. Without threads there is an inline lane, which
// whoever posts runs: then only one thread may post to it at a time. Beside it there is a lane apart, with a
// thread once it is asked for, for what must not run on the thread that receives: code of users, and what
// waits for the disk. TableLanes knows when.
class Executors {
 public:
  using Task = std::function<void()>;

  // 0: no threads, but for the lane apart. `node`: to bind to the threads, for the code of users; may be
  // null.
  explicit Executors(int num_threads, Postoffice* node = nullptr);
  ~Executors();  // = Close()
  Executors(const Executors&) = delete;
  Executors& operator=(const Executors&) = delete;

  // For tables to be spread over; without threads the inline lane.
  int num_lanes() const { return static_cast<int>(queues_.size()); }
  bool IsInline(int lane) const { return has_inline_lane_ && lane == kInline; }
  // Starts its thread. With threads any lane is.
  int LaneApart();
  template <typename Code>
  void Post(int lane, Code&& code) {
    if (IsInline(lane)) {
      code();
    } else {
      (void)queues_[static_cast<std::size_t>(lane - first_queued_)]->Push(Task(std::forward<Code>(code)));
    }
  }
  // To each lane that works.
  void PostToAll(const Task& task);
  // Returns when all that was posted before has run. Not by a lane.
  void Drain();
  // Whether the caller is one of the threads.
  bool IsThread() const { return thread_of() == this; }
  // Runs what is queued and ends the threads. Idempotent. What is posted later is dropped.
  void Close();

 private:
  static constexpr int kInline = 0;

  void StartThread() PS_REQUIRES(mutex_);
  // Lanes with threads.
  std::size_t NumStarted();
  void Run(BlockingQueue<Task>* queue);
  static const Executors*& thread_of();

  Postoffice* const node_;

  const bool has_inline_lane_;
  const int first_queued_;  // the first lane that has a queue
  std::vector<std::unique_ptr<BlockingQueue<Task>>>
      queues_;  // the lanes from there on; all are there at once
  Mutex mutex_;
  std::vector<std::unique_ptr<Thread>> threads_ PS_GUARDED_BY(mutex_);  // by queue
  bool closed_ PS_GUARDED_BY(mutex_) = false;
};

}  // namespace ps
#endif  // PS_STORE_EXECUTORS_H_

#ifndef PS_STORE_EXECUTORS_H_
#define PS_STORE_EXECUTORS_H_

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "base/queue.h"
#include "base/thread.h"

namespace ps {

// The threads `ps-srv-<i>` of a server, one per lane. What is posted to a lane runs in the order posted, one
// at a time, so that what belongs to a lane needs no lock. Without threads there is one lane, and whoever
// posts runs it: then only one thread may post at a time.
class Executors {
 public:
  using Task = std::function<void()>;

  // 0: no threads.
  explicit Executors(int num_threads);
  ~Executors();  // = Close()
  Executors(const Executors&) = delete;
  Executors& operator=(const Executors&) = delete;

  int num_lanes() const { return threads_.empty() ? 1 : static_cast<int>(threads_.size()); }
  template <typename Code>
  void Post(int lane, Code&& code) {
    if (threads_.empty()) {
      code();
    } else {
      (void)queues_[static_cast<std::size_t>(lane)]->Push(Task(std::forward<Code>(code)));
    }
  }
  // Returns when all that was posted before has run. Not by a lane.
  void Drain();
  // Runs what is queued and ends the threads. Idempotent. What is posted later is dropped.
  void Close();

 private:
  void Run(BlockingQueue<Task>* queue);

  std::vector<std::unique_ptr<BlockingQueue<Task>>> queues_;
  std::vector<std::unique_ptr<Thread>> threads_;
};

}  // namespace ps
#endif  // PS_STORE_EXECUTORS_H_

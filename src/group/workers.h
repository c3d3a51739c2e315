#ifndef PS_GROUP_WORKERS_H_
#define PS_GROUP_WORKERS_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "base/mutex.h"
#include "base/queue.h"
#include "base/thread.h"

namespace ps {

// Goes over large arrays in pieces, with several threads of the processor: the caller's and `ps-grp-<i>`,
// which begin with the first large array and stay. Pieces do not depend on the number of threads, so that
// element-wise work has the same bits with any. The same threads run what is posted. Any thread.
class Workers {
 public:
  // Elements of a piece: several arrays of them fit into a processor's second cache. A multiple of what is
  // a word of codes.
  static constexpr std::size_t kPiece = 16384;
  // work(begin, end) for one piece.
  using Work = std::function<void(std::size_t begin, std::size_t end)>;

  // `big`: elements from which more than the caller's thread is used, `num_threads` with it. `num_posted`:
  // threads for what is posted, which are among them.
  Workers(int num_threads, std::size_t big, int num_posted = 0);
  // What was posted has run. Also by one of its own threads, which then runs out alone.
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  // Calls `work` for all pieces of [0, count), in any order and on any of the threads; done when it returns.
  // `element` says of how many elements of the array one of the `count` is (rows). What a piece throws is
  // thrown here, once; pieces that were not begun by then are left out.
  void Split(std::size_t count, std::size_t element, const Work& work) PS_EXCLUDES(mutex_);
  // Runs `code` on one of the threads, of which there must be some; in the order of the calls. It must not
  // throw.
  void Post(std::function<void()> code) PS_EXCLUDES(mutex_);

 private:
  class Job;
  using Queue = BlockingQueue<std::function<void()>>;

  // Starts the threads if they do not run yet.
  void Start() PS_EXCLUDES(mutex_);

  const std::size_t num_helpers_;  // of an array, besides the caller
  const std::size_t num_threads_;
  const std::size_t big_;
  const std::shared_ptr<Queue> jobs_ = std::make_shared<Queue>();  // of a thread that ends this, too
  Mutex mutex_;
  std::vector<std::unique_ptr<Thread>> threads_ PS_GUARDED_BY(mutex_);
};

}  // namespace ps

#endif  // PS_GROUP_WORKERS_H_

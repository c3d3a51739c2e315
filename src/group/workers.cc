#include "group/workers.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <optional>
#include <string>
#include <utility>

namespace ps {

// One array. Helpers may come to it when it is done already: then there is no piece left, and `work_`, which
// the caller lends, is not touched any more.
class Workers::Job {
 public:
  Job(std::size_t count, std::size_t piece, const Work& work)
      : count_(count), piece_(piece), num_pieces_((count + piece - 1) / piece), work_(work) {}
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  std::size_t num_pieces() const { return num_pieces_; }

  // Takes pieces until there are none.
  void Help() PS_EXCLUDES(mutex_) {
    for (;;) {
      const std::size_t i = next_.fetch_add(1, std::memory_order_relaxed);
      if (i >= num_pieces_) return;
      Finish(Do(i));
    }
  }
  // Returns when all pieces are done; throws what the first one that failed has thrown.
  void Wait() PS_EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    while (num_done_ < num_pieces_) all_done_.Wait(mutex_);
    // The caller's alone from now on: a helper that comes late must not be the one that ends it.
    if (failure_ != nullptr) std::rethrow_exception(std::exchange(failure_, nullptr));
  }

 private:
  std::exception_ptr Do(std::size_t i) const {
    if (has_failed_.load(std::memory_order_relaxed)) return nullptr;
    try {
      work_(i * piece_, std::min(count_, (i + 1) * piece_));
    } catch (...) {
      return std::current_exception();
    }
    return nullptr;
  }
  void Finish(std::exception_ptr failure) PS_EXCLUDES(mutex_) {
    if (failure != nullptr) has_failed_ = true;
    MutexLock lock(mutex_);
    if (failure_ == nullptr) failure_ = std::move(failure);
    if (++num_done_ == num_pieces_) all_done_.NotifyAll();
  }

  const std::size_t count_;
  const std::size_t piece_;
  const std::size_t num_pieces_;
  const Work& work_;
  std::atomic<std::size_t> next_{0};
  std::atomic<bool> has_failed_{false};
  Mutex mutex_;
  CondVar all_done_;
  std::size_t num_done_ PS_GUARDED_BY(mutex_) = 0;
  std::exception_ptr failure_ PS_GUARDED_BY(mutex_);
};

Workers::Workers(int num_threads, std::size_t big, int num_posted)
    : num_helpers_(static_cast<std::size_t>(std::max(num_threads, 1)) - 1),
      num_threads_(std::max(num_helpers_, static_cast<std::size_t>(std::max(num_posted, 0)))),
      big_(big) {}

Workers::~Workers() { jobs_->Close(); }

void Workers::Start() {
  MutexLock lock(mutex_);
  while (threads_.size() < num_threads_) {
    threads_.push_back(std::make_unique<Thread>("ps-grp-" + std::to_string(threads_.size()), [jobs = jobs_] {
      while (std::optional<std::function<void()>> job = jobs->Pop()) (*job)();
    }));
  }
}

void Workers::Post(std::function<void()> code) {
  Start();
  static_cast<void>(jobs_->Push(std::move(code)));
}

void Workers::Split(std::size_t count, std::size_t element, const Work& work) {
  const std::size_t piece = std::max<std::size_t>(kPiece / std::max<std::size_t>(element, 1), 1);
  if (num_helpers_ == 0 || count * element < big_ || count <= piece) {
    for (std::size_t at = 0; at < count; at += piece) work(at, std::min(count, at + piece));
    return;
  }
  Start();
  const auto job = std::make_shared<Job>(count, piece, work);
  const std::size_t helpers = std::min(num_helpers_, job->num_pieces() - 1);
  for (std::size_t i = 0; i < helpers; ++i) jobs_->Push([job] { job->Help(); });
  job->Help();
  job->Wait();
}

}  // namespace ps

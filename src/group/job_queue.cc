#include "group/job_queue.h"

#include <array>
#include <cstddef>
#include <limits>
#include <optional>
#include <set>
#include <thread>
#include <utility>

#include "base/guarded.h"
#include "base/log.h"
#include "base/mutex.h"
#include "base/priority_queue.h"
#include "group/group_ticket.h"

namespace ps {
namespace {

void RunGuarded(const JobQueue::Job& job) {
  const Status ran = Guarded([&] {
    job();
    return Status::Ok();
  });
  if (!ran.ok()) PS_LOG(kError, "", "work of a group of devices has failed: " << ran);
}

}  // namespace

class JobQueue::State {
 public:
  State(const void* owner, const Limits& limits) : owner_(owner) {
    kinds_[kFollow].most = std::numeric_limits<int>::max();
    kinds_[kDeliver].most = limits.deliveries;
    kinds_[kMerge].most = limits.merges;
  }

  bool Push(Kind kind, int priority, Job job) {
    MutexLock lock(mutex_);
    if (closed_) return false;
    kinds_[kind].jobs.Push(priority, std::move(job));
    return true;
  }
  // What a thread does that was called for one job: that one or, as long as there are some, others.
  void Run() {
    std::optional<Kind> done;
    while (true) {
      Job job;
      const std::optional<Kind> kind = Take(done, &job);
      if (!kind) return;
      {
        const GroupTicket::OnThread on_thread(owner_);
        RunGuarded(job);
        job = nullptr;  // what it holds goes here
      }
      done = kind;
    }
  }
  void Close() {
    const bool is_own = GroupTicket::OnThread::IsOf(owner_);
    PriorityQueue<Job> follow;
    {
      MutexLock lock(mutex_);
      closed_ = true;
      if (is_own) closers_.insert(std::this_thread::get_id());
      std::swap(follow, kinds_[kFollow].jobs);
      if (!is_own) ++num_running_;  // it counts, while it runs those, as a thread of the queue
    }
    {
      const GroupTicket::OnThread on_thread(owner_);
      while (!follow.empty()) RunGuarded(follow.Pop());
    }
    DropAll();
    MutexLock lock(mutex_);
    if (!is_own) {
      --num_running_;
      closers_.erase(std::this_thread::get_id());
    }
    idle_.NotifyAll();
    // Jobs that close it wait neither for themselves nor for each other; whoever else does, for all of them.
    while (num_running_ > (is_own ? static_cast<int>(closers_.size()) : 0)) idle_.Wait(mutex_);
  }

 private:
  struct OfKind {
    PriorityQueue<Job> jobs;
    int running = 0;
    int most = 1;
  };

  // What has not begun; nothing comes any more.
  void DropAll() {
    std::array<OfKind, kNumKinds> left;
    MutexLock lock(mutex_);
    for (std::size_t i = 0; i < kinds_.size(); ++i) std::swap(left[i].jobs, kinds_[i].jobs);
  }
  // The next job that may run; nothing: there is none.
  std::optional<Kind> Take(const std::optional<Kind>& done, Job* job) {
    MutexLock lock(mutex_);
    if (done) {
      --kinds_[*done].running;
      --num_running_;
      closers_.erase(std::this_thread::get_id());
      if (closed_) idle_.NotifyAll();
    }
    std::optional<Kind> best;
    for (const Kind kind : {kFollow, kDeliver, kMerge}) {
      const OfKind& of = kinds_[kind];
      if (of.jobs.empty() || of.running >= of.most) continue;
      if (!best || of.jobs.front_priority() > kinds_[*best].jobs.front_priority()) best = kind;
    }
    if (!best) return best;
    kinds_[*best].jobs.Pop(job);
    ++kinds_[*best].running;
    ++num_running_;
    return best;
  }

  const void* const owner_;
  Mutex mutex_;
  CondVar idle_;
  std::array<OfKind, kNumKinds> kinds_ PS_GUARDED_BY(mutex_);
  int num_running_ PS_GUARDED_BY(mutex_) = 0;
  std::set<std::thread::id> closers_
      PS_GUARDED_BY(mutex_);  // whose job has closed it: nobody waits for those
  bool closed_ PS_GUARDED_BY(mutex_) = false;
};

JobQueue::JobQueue(Workers* workers, const void* owner, const Limits& limits)
    : workers_(workers), state_(std::make_shared<State>(owner, limits)) {}
JobQueue::~JobQueue() { Close(); }

bool JobQueue::Post(Kind kind, int priority, Job job) {
  if (!state_->Push(kind, priority, std::move(job))) return false;
  workers_->Post([state = state_] { state->Run(); });
  return true;
}

void JobQueue::Close() { state_->Close(); }

}  // namespace ps

#include "store/loopback.h"

#include <algorithm>
#include <atomic>
#include <optional>
#include <string>
#include <utility>

#include "base/clock.h"
#include "ps/config.h"

namespace ps {
namespace {

std::uint64_t NextIncarnation() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

}  // namespace

LoopbackServers::LoopbackServers(int num_servers, int num_workers, const StoreServerCore::Options& options)
    : num_workers_(num_workers) {
  for (int i = 0; i < num_servers; ++i) {
    StoreServerCore::Options own = options;
    own.server = i;
    own.num_servers = num_servers;
    own.num_workers = num_workers;
    servers_.push_back(std::make_unique<StoreServerCore>(own));
  }
}

void LoopbackServers::Register(const std::string& table, const std::string& code, const MakeUserShard& make) {
  for (std::size_t i = 0; i < servers_.size(); ++i) {
    const Status done = servers_[i]->Register(table, code, make);
    if (done.ok()) continue;
    for (std::size_t before = 0; before < i; ++before) servers_[before]->Forget(table);
    if (done.code() != StatusCode::kAlreadyExists) {
      for (const auto& server : servers_) server->Refuse(table, done);
    }
    ThrowIfError(done);
  }
}

Status LoopbackServers::Barrier(std::int64_t timeout_ms) {
  if (timeout_ms < 0) timeout_ms = Config().barrier_timeout_ms;
  const std::int64_t now_ms = Clock::Real().NowMs();
  const bool has_deadline = timeout_ms > 0 && timeout_ms < CondVar::kNever - now_ms;
  const std::int64_t deadline_ms = has_deadline ? now_ms + timeout_ms : CondVar::kNever;
  MutexLock lock(mutex_);
  ++num_waiting_;
  if (AllHaveCome()) {
    Release();
    return Status::Ok();
  }
  const std::uint64_t mine = num_barriers_;
  bool in_time = true;
  while (num_barriers_ == mine && in_time) in_time = met_.WaitUntil(mutex_, deadline_ms);
  if (num_barriers_ != mine) return Status::Ok();
  --num_waiting_;
  return Status::DeadlineExceeded("barrier of " + std::to_string(num_workers_) +
                                  " workers: " + std::to_string(num_waiting_ + 1) + " have come after " +
                                  std::to_string(timeout_ms) + " ms");
}

void LoopbackServers::Release() {
  num_waiting_ = 0;
  ++num_barriers_;
  met_.NotifyAll();
}

Status LoopbackServers::CheckMayLeave() const {
  const bool is_lane =
      std::any_of(servers_.begin(), servers_.end(), [](const auto& server) { return server->IsLane(); });
  return is_lane ? Status::FailedPrecondition("a rule can not close a store on whose servers it runs")
                 : Status::Ok();
}

void LoopbackServers::Leave(int worker) {
  for (const auto& server : servers_) server->OnWorkerLeft(worker);
  {
    MutexLock lock(mutex_);
    ++num_left_;
    if (num_waiting_ > 0 && AllHaveCome()) Release();
    if (num_left_ < num_workers_) return;
  }
  // Here, because a lane that lets go of the last reference could not end itself.
  for (const auto& server : servers_) server->Close();
}

// One request until its last answer. Answers come from several threads; they are handed on one at a time.
class LoopbackLink::Pending {
 public:
  Pending(std::size_t num_servers, std::shared_ptr<AnswerSink> sink)
      : open_(num_servers), sink_(std::move(sink)) {}

  // True with the last one.
  bool Take(int server, const StoreAnswer& answer) {
    MutexLock lock(mutex_);
    if (open_ == 0) return false;  // cancelled
    const Status taken = sink_->OnAnswer(server, answer);
    if (outcome_.ok()) outcome_ = taken;
    if (--open_ != 0) return false;
    sink_->OnDone(outcome_);
    return true;
  }
  // The sink is told without the lock: what it runs may come back.
  void Cancel(const Status& why) {
    {
      MutexLock lock(mutex_);
      if (open_ == 0) return;
      open_ = 0;
    }
    sink_->OnDone(why);
  }

 private:
  Mutex mutex_;
  std::size_t open_ PS_GUARDED_BY(mutex_);
  const std::shared_ptr<AnswerSink> sink_;
  Status outcome_ PS_GUARDED_BY(mutex_);
};

LoopbackLink::LoopbackLink(std::shared_ptr<LoopbackServers> servers, int worker)
    : servers_(std::move(servers)),
      worker_(worker),
      incarnation_(NextIncarnation()),
      open_(std::make_shared<Open>()) {}

class LoopbackLink::Turn {
 public:
  explicit Turn(LoopbackLink* link) : link_(*link) {
    MutexLock lock(link_.mutex_);
    if (link_.closed_) ThrowIfError(Status::FailedPrecondition("the store is closed: no new operations"));
    timestamp = link_.next_timestamp_++;
    ++link_.num_sending_;
  }
  ~Turn() {
    MutexLock lock(link_.mutex_);
    if (--link_.num_sending_ == 0) link_.all_sent_.NotifyAll();
  }

  int timestamp;

 private:
  LoopbackLink& link_;
};

SentRequest LoopbackLink::Send(std::vector<Addressed>&& requests, std::shared_ptr<AnswerSink> sink) {
  const Turn turn(this);
  const int timestamp = turn.timestamp;
  if (requests.empty()) {
    sink->OnDone(Status::Ok());
    return {timestamp, nullptr};
  }
  const auto pending = std::make_shared<Pending>(requests.size(), std::move(sink));
  {
    MutexLock lock(open_->mutex);
    open_->requests.emplace(timestamp, pending);
  }
  for (Addressed& addressed : requests) {
    const auto take = [pending, timestamp, open = open_, server = addressed.server](StoreAnswer&& answer) {
      if (!pending->Take(server, answer)) return;
      MutexLock lock(open->mutex);
      open->requests.erase(timestamp);
      open->finished.NotifyAll();
    };
    servers_->server(addressed.server)
        .Handle({worker_, incarnation_}, std::move(addressed.request), true, take);
  }
  return {timestamp, nullptr};
}

Status LoopbackLink::WaitUntil(const SentRequest& request, std::int64_t deadline_ms) {
  MutexLock lock(open_->mutex);
  bool in_time = true;
  while (open_->requests.count(request.timestamp) != 0 && in_time)
    in_time = open_->finished.WaitUntil(open_->mutex, deadline_ms);
  if (open_->requests.count(request.timestamp) == 0) return Status::Ok();
  return Status::DeadlineExceeded("the operation is not done in the time given to this wait");
}

Status LoopbackLink::CheckMayWait() {
  MutexLock lock(mutex_);
  const bool is_own = thread_ != nullptr && thread_->IsCurrent();
  return is_own
             ? Status::FailedPrecondition("waiting inside a continuation of the same store would never end")
             : Status::Ok();
}

bool LoopbackLink::Post(std::function<void()> code) {
  {
    MutexLock lock(mutex_);
    if (closed_) return false;
    if (thread_ == nullptr)
      thread_ = std::make_unique<Thread>("ps-app-store", [posted = posted_] {
        while (std::optional<std::function<void()>> next = posted->Pop()) (*next)();
      });
  }
  return posted_->Push(std::move(code));
}

// What was lent is not used any more before its lender hears that the request has ended.
void LoopbackLink::Close() {
  {
    MutexLock lock(mutex_);
    if (closed_) return;
    closed_ = true;
    while (num_sending_ > 0) all_sent_.Wait(mutex_);
  }
  servers_->Leave(worker_);
  std::unordered_map<int, std::shared_ptr<Pending>> requests;
  {
    MutexLock lock(open_->mutex);
    requests = open_->requests;
  }
  for (const auto& [timestamp, pending] : requests)
    pending->Cancel(Status::Cancelled("the store was closed"));
  {
    MutexLock lock(open_->mutex);
    open_->requests.clear();
    open_->finished.NotifyAll();
  }
  posted_->Close();
  std::unique_ptr<Thread> thread;
  {
    MutexLock lock(mutex_);
    thread = std::move(thread_);
  }
  if (thread == nullptr) return;
  if (!thread->IsCurrent()) return thread->Join();
  // One of its own: what waits behind it would run after this, and must not.
  while (std::optional<std::function<void()>> next = posted_->TryPop()) (*next)();
}

}  // namespace ps

// The half of CollectiveNode that does the work: callers that wait, and `ps-coll`.
#include <limits>
#include <utility>

#include "app/node_text.h"
#include "base/clock.h"
#include "base/fork.h"
#include "base/guarded.h"
#include "base/log.h"
#include "collective/collective_node.h"
#include "postoffice/binding.h"
#include "ps/postoffice.h"

namespace ps {
namespace {

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

thread_local const CollectiveNode* thread_of = nullptr;

std::int64_t NowMs() { return Clock::Real().NowMs(); }

}  // namespace

// --- turns ---

void CollectiveNode::PutDown(Event event) {
  MutexLock lock(mutex_);
  events_.push_back(std::move(event));
  if (!is_driving_) Rouse();
}

void CollectiveNode::Rouse() {
  if (num_callers_ > 0) {
    news_.NotifyAll();
    if (helping_callers_.load() > 0) callers_bell_.Ring();
  } else if (thread_ != nullptr) {
    work_.NotifyOne();
    thread_bell_.Ring();
  }
}

bool CollectiveNode::TakeTurn(std::deque<Event>* events) {
  MutexLock lock(mutex_);
  if (!HasNews()) return false;
  is_driving_ = true;
  events->swap(events_);
  return true;
}

void CollectiveNode::EndTurn() {
  std::deque<std::function<void()>> following;
  {
    MutexLock lock(mutex_);
    is_driving_ = false;
    if (is_closing_) idle_.NotifyAll();
    following.swap(following_);
  }
  for (const auto& code : following) RunGuarded(code);
}

bool CollectiveNode::DriveTurn() {
  std::deque<Event> events;
  if (!TakeTurn(&events)) return false;
  {
    MutexLock lock(table_mutex_);
    for (const Event& event : events) CarryOut(event);
    next_ms_.store(table_.next_ms());
  }
  events.clear();
  EndTurn();
  const std::int64_t next_ms = next_ms_.load();
  if (next_ms < alarm_ms_.load()) {
    alarm_ms_.store(next_ms);
    postoffice_->WakeAt(next_ms);
  }
  return true;
}

void CollectiveNode::Drive() {
  while (DriveTurn()) {
  }
}

void CollectiveNode::HandOver() {
  MutexLock lock(mutex_);
  if (HasNews()) Rouse();
}

void CollectiveNode::Follow(std::function<void()> code) {
  if (Post(code)) return;
  MutexLock lock(mutex_);
  following_.push_back(std::move(code));
}

void CollectiveNode::RunGuarded(const std::function<void()>& code) {
  const Status ran = Guarded([&] {
    code();
    return Status::Ok();
  });
  if (!ran.ok())
    PS_LOG(kError, LogName(postoffice_), "what was to follow a collective operation has failed: " << ran);
}

void CollectiveNode::CarryOut(const Event& event) {
  const Status done = Guarded([&] {
    event(&table_);
    return Status::Ok();
  });
  if (!done.ok()) PS_LOG(kError, LogName(postoffice_), "an event of a collective was lost: " << done);
}

// --- waiting ---

bool CollectiveNode::Help(Bell* bell, ReceiveToken::Rank rank, std::int64_t deadline_ms,
                          const std::function<bool()>& ends) {
  return postoffice_->Help({ends, bell, deadline_ms, rank});
}

// Drives as a helper, with the token held as inline handles run: who left for each event would have to come
// back, and `ps-io` would be told to see whether it does.
void CollectiveNode::AwaitAsCaller(const IsDone& is_done, std::int64_t deadline_ms) {
  const auto has_time = [&] { return deadline_ms == kNever || NowMs() < deadline_ms; };
  const auto drives_until_done = [&] {
    while (!is_done() && has_time() && DriveTurn()) {
    }
    return is_done();
  };
  {
    MutexLock lock(mutex_);
    ++num_callers_;
  }
  for (bool in_time = true; in_time && !drives_until_done();) {
    helping_callers_.fetch_add(1);
    SetReceivesForCaller(true);
    const bool helped = Help(&callers_bell_, ReceiveToken::Rank::kCaller, deadline_ms, drives_until_done);
    SetReceivesForCaller(false);
    helping_callers_.fetch_sub(1);
    in_time = has_time();
    if (helped) continue;
    const DependsOnFrames depends(postoffice_->dependents());
    MutexLock lock(mutex_);
    while (in_time && !HasNews() && !is_done()) in_time = news_.WaitUntil(mutex_, deadline_ms);
  }
  MutexLock lock(mutex_);
  --num_callers_;
  if (HasNews()) Rouse();
}

// --- the thread ---

bool CollectiveNode::IsThread() const { return thread_of == this; }

void CollectiveNode::StartThread() {
  if (thread_ != nullptr || is_closing_) return;
  thread_ = std::make_unique<Thread>("ps-coll", [self = shared_from_this()] { self->Run(); });
}

void CollectiveNode::Run() {
  thread_of = this;
  const ScopedPostoffice bound(postoffice_);
  while (true) {
    std::function<void()> code;
    {
      MutexLock lock(mutex_);
      if (posted_.empty() && MayQuit()) break;
      if (!posted_.empty()) {
        code = std::move(posted_.front());
        posted_.pop_front();
      }
    }
    if (!code) {
      AwaitAsThread();
      continue;
    }
    RunGuarded(code);
  }
  thread_of = nullptr;
}

void CollectiveNode::DriveIfNobodyElse() {
  {
    MutexLock lock(mutex_);
    if (num_callers_ > 0) return;
  }
  Drive();
}

// Until there is something for the thread, which drives while no caller does.
void CollectiveNode::AwaitAsThread() {
  const auto has_own = [this]() PS_NO_THREAD_SAFETY_ANALYSIS {
    return !posted_.empty() || MayQuit() || (HasNews() && num_callers_ == 0);
  };
  DriveIfNobodyElse();
  bool has_async;
  {
    MutexLock lock(mutex_);
    if (has_own()) return;
    has_async = num_async_ > 0;
  }
  const bool helped = has_async && Help(&thread_bell_, ReceiveToken::Rank::kIdle, kNever, [&] {
                        DriveIfNobodyElse();
                        MutexLock lock(mutex_);
                        return has_own() || num_async_ == 0;
                      });
  if (helped) return;
  std::optional<DependsOnFrames> depends;
  if (has_async) depends.emplace(postoffice_->dependents());
  MutexLock lock(mutex_);
  while (!has_own() && (num_async_ > 0) == has_async) work_.Wait(mutex_);
}

}  // namespace ps

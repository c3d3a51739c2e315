#include "van/receiver.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "base/clock.h"
#include "base/log.h"

namespace ps {
namespace {

// After which `ps-rx` is woken by frames again if a helper has left and not come back.
constexpr int64_t kArmAfterMs = 1;
constexpr int64_t kMostArmAfterMs = 4;  // of one that did come back

}  // namespace

Receiver::Receiver(Transport* transport, FrameSink* sink, std::function<void(int64_t)> wake_at)
    : transport_(transport),
      sink_(sink),
      shared_(transport->shared_reception()),
      wake_at_(std::move(wake_at)) {}

Receiver::~Receiver() { Stop(); }

void Receiver::Start() {
  {
    MutexLock lock(mutex_);
    refuses_help_.store(stopped_);
  }
  if (shared_ != nullptr) shared_->token().dependents()->SetWake([this] { transport_->Wake(); });
  thread_ = std::make_unique<Thread>("ps-rx", [this] { Run(); });
}

void Receiver::Stop() {
  {
    MutexLock lock(mutex_);
    stopped_ = true;
    refuses_help_.store(true);
  }
  if (shared_ != nullptr) {
    const ReceiveTokenLock lock(shared_->token());
    shared_->token().RingHelper();
  }
  {
    MutexLock lock(mutex_);
    while (num_helping_.load() > 0) helper_left_.Wait(mutex_);
  }
  if (shared_ != nullptr) shared_->token().dependents()->SetWake(nullptr);
  transport_->Wake();
  thread_.reset();
}

bool Receiver::Help(const HelpWish& wish) {
  if (shared_ == nullptr) return false;
  // Counted before the look, as Stop looks at the count after it refuses.
  num_helping_.fetch_add(1);
  HelpOutcome outcome = HelpOutcome::kRefused;
  if (!refuses_help_.load()) outcome = TryHelp(wish);
  if (num_helping_.fetch_sub(1) == 1 && refuses_help_.load()) {
    MutexLock lock(mutex_);
    helper_left_.NotifyAll();
  }
  return outcome != HelpOutcome::kRefused && !refuses_help_.load();
}

HelpOutcome Receiver::TryHelp(const HelpWish& wish) {
  const HelpWish stoppable{[this, &wish] { return refuses_help_.load() || wish.is_done(); }, wish.bell,
                           wish.deadline_ms, wish.rank};
  HelpOutcome outcome = HelpOutcome::kRefused;
  try {
    outcome = shared_->Help(sink_, stoppable);
  } catch (const std::exception& error) {
    PS_LOG(kError, "", "a received message was dropped: " << error.what());
  }
  if (outcome == HelpOutcome::kUnarmed) num_left_.fetch_add(1);
  if (outcome == HelpOutcome::kUnarmed && !is_timer_set_.exchange(true)) {
    wake_at_(Clock::Real().NowMs() + kArmAfterMs);
  }
  return outcome;
}

std::shared_ptr<Dependents> Receiver::dependents() const {
  return shared_ == nullptr ? nullptr : shared_->token().dependents();
}

// A helper that comes and goes all the time is looked after more and more rarely: each look takes a processor
// away from somebody, mostly from the helper. Threads that go to sleep do not wait for it (DependsOnFrames).
void Receiver::OnTimer() {
  // Cleared first: who leaves from now on sets it anew.
  if (!is_timer_set_.exchange(false)) return;
  const bool has_helper = shared_->token().has_helper();
  const uint64_t num_left = num_left_.load();
  const bool comes_and_goes = std::exchange(seen_left_, num_left) != num_left;
  if (comes_and_goes && (has_helper || arm_after_ms_ > kArmAfterMs)) {
    arm_after_ms_ = has_helper ? std::min(arm_after_ms_ * 2, kMostArmAfterMs) : kArmAfterMs;
    if (!is_timer_set_.exchange(true)) wake_at_(Clock::Real().NowMs() + arm_after_ms_);
    return;
  }
  arm_after_ms_ = kArmAfterMs;
  if (has_helper) return;
  shared_->token().dependents()->SetAttended();
  transport_->Wake();
}

void Receiver::Post(std::function<void()> task) {
  {
    MutexLock lock(mutex_);
    if (stopped_) return;
    tasks_.push_back(std::move(task));
    if (tasks_.size() > 1) return;  // woken already
  }
  transport_->Wake();
}

// One that fails does not keep the others from running.
void Receiver::RunTask(const std::function<void()>& task) {
  try {
    task();
  } catch (const std::exception& error) {
    PS_LOG(kError, "", "a task of the receiving thread failed: " << error.what());
  }
}

bool Receiver::RunTasks() {
  std::vector<std::function<void()>> tasks;
  bool stopped = false;
  {
    MutexLock lock(mutex_);
    tasks.swap(tasks_);
    stopped = stopped_;
  }
  if (!tasks.empty()) RunAll(tasks);
  return !stopped;
}

// What they work on is also worked on by whoever hands frames over.
void Receiver::RunAll(const std::vector<std::function<void()>>& tasks) {
  if (shared_ == nullptr) {
    for (const std::function<void()>& task : tasks) RunTask(task);
    return;
  }
  const ReceiveTokenLock lock(shared_->token());
  for (const std::function<void()>& task : tasks) RunTask(task);
}

bool Receiver::RunOnce() {
  try {
    if (!RunTasks()) return false;
    transport_->Poll(sink_, -1);
  } catch (const std::exception& error) {
    // Out of memory, above all: what was in hand is lost (delivery asks for it again), the node goes on.
    PS_LOG(kError, "", "a received message was dropped: " << error.what());
  }
  return true;
}

void Receiver::Run() {
  while (RunOnce()) {
  }
}

}  // namespace ps

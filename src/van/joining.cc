#include "van/joining.h"

#include <algorithm>
#include <sstream>

#include "base/clock.h"
#include "base/log.h"
#include "base/test_point.h"

namespace ps {
namespace {

constexpr int64_t kLineEveryMs = 5000;

std::string Line(const Joining::Reason& reason, int64_t waited_ms, int64_t timeout_ms) {
  std::ostringstream line;
  line << "waiting for " << reason.subject << " (" << waited_ms / 1000;
  if (timeout_ms > 0) line << " of " << static_cast<double>(timeout_ms) / 1000;
  line << " s): " << reason.detail;
  return line.str();
}

}  // namespace

void Joining::OnChallenge(const Digest& nonce) {
  MutexLock lock(mutex_);
  // The same one again answers a repeat: no reason to repeat at once.
  if (SameDigest(nonce, challenge_)) return;
  challenge_ = nonce;
  is_new_challenge_ = true;
  changed_.NotifyAll();
}

void Joining::OnProgress(const std::string& progress) {
  MutexLock lock(mutex_);
  progress_ = progress;
}

void Joining::OnOutcome(const Status& outcome) {
  MutexLock lock(mutex_);
  if (outcome_.has_value()) return;
  outcome_ = outcome;
  changed_.NotifyAll();
}

Digest Joining::Challenge() {
  MutexLock lock(mutex_);
  return challenge_;
}

Status Joining::Wait(const Plan& plan) {
  const int64_t began = Clock::Real().NowMs();
  const Deadline deadline = Deadline::AfterAt(began, plan.timeout_ms);
  int64_t retry_at = plan.retry ? began : CondVar::kNever;
  int64_t line_at = began + kLineEveryMs;
  while (true) {
    const int64_t now = Clock::Real().NowMs();
    if (now >= retry_at) {
      PS_TEST_POINT("register.before_send");
      plan.retry(Challenge());
      PS_TEST_POINT("register.after_send");
      retry_at = now + std::max<int64_t>(1, plan.retry_ms);
    }
    std::string progress;
    {
      MutexLock lock(mutex_);
      const int64_t until = std::min({deadline.at_ms(), retry_at, line_at});
      while (!outcome_.has_value() && !is_new_challenge_ && Clock::Real().NowMs() < until) {
        changed_.WaitUntil(mutex_, until);
      }
      if (outcome_.has_value()) return *outcome_;
      if (is_new_challenge_ && plan.retry) retry_at = began;
      is_new_challenge_ = false;
      progress = progress_;
    }
    const int64_t waited = Clock::Real().NowMs() - began;
    if (deadline.expired(began + waited)) {
      return Status::DeadlineExceeded(Line(plan.describe(progress), waited, plan.timeout_ms) +
                                      "; PS_START_TIMEOUT says how long to wait");
    }
    if (began + waited >= line_at) {
      PS_LOG(kWarning, plan.node_name, Line(plan.describe(progress), waited, plan.timeout_ms));
      line_at += kLineEveryMs;
    }
  }
}

}  // namespace ps

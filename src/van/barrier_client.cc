#include "van/barrier_client.h"

#include "base/test_point.h"

namespace ps {
namespace {

// Outcomes kept for threads of an ended round that have not run yet.
constexpr size_t kKeptFailures = 16;

}  // namespace

BarrierClient::Entry BarrierClient::Enter(int group) {
  MutexLock lock(mutex_);
  Group& state = groups_[group];
  if (state.open != 0) return {state.open, false};
  state.open = state.finished + 1;
  PS_TEST_POINT("barrier.before_send");
  return {state.open, true};
}

Status BarrierClient::Wait(int group, uint64_t round, Deadline deadline, const std::string& late) {
  MutexLock lock(mutex_);
  Group& state = groups_[group];
  PS_TEST_POINT("barrier.after_send");
  while (state.finished < round) {
    if (!failed_.ok()) return failed_;
    if (!interrupted_.ok()) return interrupted_;
    if (released_.WaitUntil(mutex_, deadline.at_ms())) continue;
    if (state.finished < round) return Status::DeadlineExceeded(late);
  }
  const auto failure = state.failures.find(round);
  return failure == state.failures.end() ? Status::Ok() : failure->second;
}

bool BarrierClient::IsOver(int group, uint64_t round) {
  MutexLock lock(mutex_);
  return !failed_.ok() || groups_[group].finished >= round;
}

void BarrierClient::OnRelease(const BarrierNotice& release) {
  MutexLock lock(mutex_);
  Group& state = groups_[release.group];
  // A release sent twice ends nothing. One of a later round ends ours: the scheduler counted us there.
  if (state.open == 0 || release.round < state.open) return;
  PS_TEST_POINT("barrier.released");
  if (release.code != StatusCode::kOk) {
    state.failures.emplace(state.open, Status(release.code, release.text));
    if (state.failures.size() > kKeptFailures) state.failures.erase(state.failures.begin());
  }
  state.finished = release.round;
  state.open = 0;
  released_.NotifyAll();
}

void BarrierClient::Fail(const Status& why) {
  MutexLock lock(mutex_);
  if (failed_.ok()) failed_ = why;
  released_.NotifyAll();
}

void BarrierClient::Interrupt(const Status& why) {
  MutexLock lock(mutex_);
  interrupted_ = why;
  released_.NotifyAll();
}

void BarrierClient::Resume() {
  MutexLock lock(mutex_);
  interrupted_ = Status::Ok();
}

}  // namespace ps

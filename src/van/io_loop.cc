#include "van/io_loop.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "base/clock.h"
#include "base/log.h"
#include "base/test_point.h"

namespace ps {
namespace {

constexpr int64_t kAfterFailureMs = 1000;

}  // namespace

IoLoop::IoLoop(Tick tick) : tick_(std::move(tick)) {}

IoLoop::~IoLoop() { Stop(); }

void IoLoop::Start() {
  thread_ = std::make_unique<Thread>("ps-io", [this] { Run(); });
}

void IoLoop::Stop() {
  {
    MutexLock lock(mutex_);
    stopped_ = true;
    changed_.NotifyAll();
  }
  thread_.reset();
}

void IoLoop::Wake() { WakeAt(0); }

void IoLoop::WakeAt(int64_t at_ms) {
  if (due_ms_.load() <= at_ms) return;
  MutexLock lock(mutex_);
  if (due_ms_.load() <= at_ms) return;
  due_ms_.store(at_ms);
  changed_.NotifyAll();
}

bool IoLoop::WaitForDue() {
  MutexLock lock(mutex_);
  while (!stopped_) {
    const int64_t due = due_ms_.load();
    if (due <= Clock::Real().NowMs()) {
      // Cleared before the tick: whoever asks while it runs is heard.
      due_ms_.store(CondVar::kNever);
      return true;
    }
    changed_.WaitUntil(mutex_, due);
  }
  return false;
}

int64_t IoLoop::TickOnce() {
  const int64_t now_ms = Clock::Real().NowMs();
  PS_TEST_POINT("timer.before");
  try {
    return tick_(now_ms);
  } catch (const std::exception& error) {
    PS_LOG(kError, "", "a timer failed and is tried again: " << error.what());
    return now_ms + kAfterFailureMs;
  }
}

void IoLoop::Run() {
  while (WaitForDue()) WakeAt(TickOnce());
}

}  // namespace ps

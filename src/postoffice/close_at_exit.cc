#include "postoffice/close_at_exit.h"

#include <memory>
#include <thread>
#include <utility>

#include "base/clock.h"
#include "base/fork.h"
#include "base/log.h"
#include "base/mutex.h"

namespace ps {

CloseAtExit::CloseAtExit(std::function<void()> close) : close_(std::move(close)) {}

CloseAtExit::~CloseAtExit() {
  constexpr int64_t kCloseAtExitMs = 1000;
  if (IsForked()) return;
  struct Ending {
    Mutex mutex;
    CondVar changed;
    bool done PS_GUARDED_BY(mutex) = false;
  };
  const auto ending = std::make_shared<Ending>();  // shared with a thread that may outlive this
  std::thread closer([close = close_, ending] {
    close();
    MutexLock lock(ending->mutex);
    ending->done = true;
    ending->changed.NotifyAll();
  });
  const int64_t until_ms = Clock::Real().NowMs() + kCloseAtExitMs;
  MutexLock lock(ending->mutex);
  while (!ending->done && ending->changed.WaitUntil(ending->mutex, until_ms)) {
  }
  if (!ending->done)
    PS_LOG(kWarning, "", "a handle or callback still runs: the process ends without waiting for it");
  closer.detach();
}

}  // namespace ps

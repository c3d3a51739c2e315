#include "ps/async_buffer.h"

#include <exception>

#include "base/mutex.h"
#include "base/thread.h"
#include "ps/status.h"

namespace ps {

class AsyncFiller::Impl {
 public:
  explicit Impl(std::function<void(int)> fill)
      : fill_(std::move(fill)), thread_("ps-fill", [this] { Run(); }) {}

  int Get() {
    MutexLock lock(mutex_);
    if (stopped_)
      ThrowIfError(Status::FailedPrecondition("AsyncBuffer::Get after Stop: nothing is filled any more"));
    Begin(next_);  // after a failure; else it is under way or full
    while (state_ == State::kFilling) changed_.Wait(mutex_);
    if (state_ == State::kFailed) {
      state_ = State::kIdle;
      std::rethrow_exception(std::exchange(error_, nullptr));
    }
    const int full = next_;
    next_ = 1 - next_;
    state_ = State::kIdle;
    Begin(next_);
    return full;
  }

  void Stop() {
    {
      MutexLock lock(mutex_);
      stopped_ = true;
      changed_.NotifyAll();
    }
    thread_.Join();
  }

 private:
  enum class State { kIdle, kFilling, kFull, kFailed };

  void Begin(int buffer) PS_REQUIRES(mutex_) {
    if (state_ != State::kIdle) return;
    next_ = buffer;
    state_ = State::kFilling;
    changed_.NotifyAll();
  }

  void Run() {
    for (int buffer = Await(); buffer >= 0; buffer = Await()) {
      std::exception_ptr error;
      try {
        fill_(buffer);
      } catch (...) {
        error = std::current_exception();
      }
      MutexLock lock(mutex_);
      state_ = error == nullptr ? State::kFull : State::kFailed;
      error_ = error;
      changed_.NotifyAll();
    }
  }

  // The buffer to fill; -1: the end.
  int Await() {
    MutexLock lock(mutex_);
    while (!stopped_ && state_ != State::kFilling) changed_.Wait(mutex_);
    return stopped_ ? -1 : next_;
  }

  const std::function<void(int)> fill_;
  Mutex mutex_;
  CondVar changed_;
  State state_ PS_GUARDED_BY(mutex_) = State::kFilling;
  int next_ PS_GUARDED_BY(mutex_) = 0;  // the buffer that Get returns next
  bool stopped_ PS_GUARDED_BY(mutex_) = false;
  std::exception_ptr error_ PS_GUARDED_BY(mutex_);
  Thread thread_;  // last: it uses the others
};

AsyncFiller::AsyncFiller(std::function<void(int)> fill) : impl_(std::make_unique<Impl>(std::move(fill))) {}
AsyncFiller::~AsyncFiller() { Stop(); }
int AsyncFiller::Get() { return impl_->Get(); }
void AsyncFiller::Stop() { impl_->Stop(); }

}  // namespace ps

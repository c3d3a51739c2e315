#include "device/cpu_stream.h"

#include <limits>
#include <optional>
#include <utility>

#include "base/clock.h"
#include "base/copy.h"
#include "base/guarded.h"
#include "base/mutex.h"

namespace ps {
namespace {

class CpuEvent final : public Event {
 public:
  void Happen(const Status& outcome) {
    MutexLock lock(mutex_);
    has_happened_ = true;
    outcome_ = outcome;
    happened_.NotifyAll();
  }
  bool Done() override {
    MutexLock lock(mutex_);
    return has_happened_;
  }
  Status Wait() override {
    MutexLock lock(mutex_);
    while (!has_happened_) happened_.Wait(mutex_);
    return outcome_;
  }

 private:
  Mutex mutex_;
  CondVar happened_;
  bool has_happened_ PS_GUARDED_BY(mutex_) = false;
  Status outcome_ PS_GUARDED_BY(mutex_);
};

}  // namespace

Status RunOn(const DeviceId& device, const std::function<void()>& code) {
  const Status outcome = Guarded([&code] {
    code();
    return Status::Ok();
  });
  if (outcome.code() != StatusCode::kInternal) return outcome;
  return Status::Internal("on a stream of " + ToString(device) + ": " + outcome.message());
}

CpuStream::CpuStream(const DeviceId& device)
    : device_(device), thread_("ps-dev-" + std::to_string(device.index), [this] {
        while (std::optional<std::function<void()>> next = work_.Pop()) Work(*next);
      }) {}

CpuStream::~CpuStream() {
  work_.Close();
  thread_.Join();
}

void CpuStream::Work(const std::function<void()>& code) {
  const Status outcome = RunOn(device_, code);
  if (failure_.ok()) failure_ = outcome;
}

void CpuStream::Copy(void* to, const void* from, std::size_t bytes) {
  Run([=] { CopyBytes(to, from, bytes); });
}

void CpuStream::Run(std::function<void()> code) { work_.Push(std::move(code)); }

std::shared_ptr<Event> CpuStream::Record() { return RecordAnd(false); }

std::shared_ptr<Event> CpuStream::RecordAnd(bool forgets_failure) {
  auto event = std::make_shared<CpuEvent>();
  work_.Push([this, event, forgets_failure] {
    const Status outcome = failure_;
    if (forgets_failure) failure_ = Status::Ok();
    event->Happen(outcome);
  });
  return event;
}

void CpuStream::After(const std::shared_ptr<Event>& event) {
  // Who follows a failure does its own work all the same: the other stream tells of it.
  work_.Push([event] { static_cast<void>(event->Wait()); });
}

Status CpuStream::Synchronize() {
  if (thread_.IsCurrent())
    return Status::FailedPrecondition("waiting for a stream of " + ToString(device_) +
                                      " on its own thread would never end");
  return RecordAnd(true)->Wait();
}

}  // namespace ps

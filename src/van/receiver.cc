#include "van/receiver.h"

#include <exception>
#include <utility>

#include "base/log.h"

namespace ps {

Receiver::Receiver(Transport* transport, FrameSink* sink) : transport_(transport), sink_(sink) {}

Receiver::~Receiver() { Stop(); }

void Receiver::Start() {
  thread_ = std::make_unique<Thread>("ps-rx", [this] { Run(); });
}

void Receiver::Stop() {
  {
    MutexLock lock(mutex_);
    stopped_ = true;
  }
  transport_->Wake();
  thread_.reset();
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
  for (std::function<void()>& task : tasks) RunTask(task);
  return !stopped;
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

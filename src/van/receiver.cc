#include "van/receiver.h"

#include <utility>

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

bool Receiver::RunTasks() {
  std::vector<std::function<void()>> tasks;
  bool stopped = false;
  {
    MutexLock lock(mutex_);
    tasks.swap(tasks_);
    stopped = stopped_;
  }
  for (std::function<void()>& task : tasks) task();
  return !stopped;
}

void Receiver::Run() {
  while (RunTasks()) transport_->Poll(sink_, -1);
}

}  // namespace ps

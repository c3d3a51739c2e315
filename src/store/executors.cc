#include "store/executors.h"

#include <algorithm>
#include <exception>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/log.h"
#include "ps/postoffice.h"

namespace ps {

Executors::Executors(int num_threads, Postoffice* node)
    : node_(node), has_inline_lane_(num_threads == 0), first_queued_(has_inline_lane_ ? kInline + 1 : 0) {
  for (int i = 0; i < std::max(1, num_threads); ++i)
    queues_.push_back(std::make_unique<BlockingQueue<Task>>());
  MutexLock lock(mutex_);
  for (int i = 0; i < num_threads; ++i) StartThread();
}

Executors::~Executors() { Close(); }

void Executors::StartThread() {
  const std::size_t i = threads_.size();
  threads_.push_back(std::make_unique<Thread>("ps-srv-" + std::to_string(i),
                                              [this, queue = queues_[i].get()] { Run(queue); }));
}

int Executors::LaneApart() {
  MutexLock lock(mutex_);
  if (threads_.empty() && !closed_) StartThread();
  return first_queued_;
}

std::size_t Executors::NumStarted() {
  MutexLock lock(mutex_);
  return threads_.size();
}

void Executors::PostToAll(const Task& task) {
  if (has_inline_lane_) task();
  const std::size_t num_started = NumStarted();
  for (std::size_t i = 0; i < num_started; ++i) (void)queues_[i]->Push(task);
}

void Executors::Drain() {
  std::vector<std::future<void>> reached;
  const std::size_t num_started = NumStarted();
  for (std::size_t i = 0; i < num_started; ++i) {
    auto done = std::make_shared<std::promise<void>>();
    reached.push_back(done->get_future());
    // Where it has closed the promise is broken, which ends the wait, too.
    (void)queues_[i]->Push([done] { done->set_value(); });
  }
  for (const std::future<void>& lane : reached) lane.wait();
}

void Executors::Close() {
  for (const auto& queue : queues_) queue->Close();
  std::vector<std::unique_ptr<Thread>> threads;
  {
    MutexLock lock(mutex_);
    closed_ = true;
    threads.swap(threads_);
  }
  for (const auto& thread : threads) thread->Join();
}

const Executors*& Executors::thread_of() {
  thread_local const Executors* of = nullptr;
  return of;
}

void Executors::Run(BlockingQueue<Task>* queue) {
  const ScopedPostoffice bound(node_);
  thread_of() = this;
  while (std::optional<Task> task = queue->Pop()) {
    try {
      (*task)();
    } catch (const std::exception& error) {
      PS_LOG(kError, "", "a task of the store threw: " << error.what());
    } catch (...) {
      PS_LOG(kError, "", "a task of the store threw what is no exception");
    }
  }
}

}  // namespace ps

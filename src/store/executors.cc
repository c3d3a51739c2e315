#include "store/executors.h"

#include <exception>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/log.h"

namespace ps {

Executors::Executors(int num_threads) {
  for (int i = 0; i < num_threads; ++i) queues_.push_back(std::make_unique<BlockingQueue<Task>>());
  for (int i = 0; i < num_threads; ++i) {
    BlockingQueue<Task>* const queue = queues_[static_cast<std::size_t>(i)].get();
    threads_.push_back(
        std::make_unique<Thread>("ps-srv-" + std::to_string(i), [this, queue] { Run(queue); }));
  }
}

Executors::~Executors() { Close(); }

void Executors::Drain() {
  std::vector<std::future<void>> reached;
  for (const auto& queue : queues_) {
    auto done = std::make_shared<std::promise<void>>();
    reached.push_back(done->get_future());
    // Where it has closed the promise is broken, which ends the wait, too.
    (void)queue->Push([done] { done->set_value(); });
  }
  for (const std::future<void>& lane : reached) lane.wait();
}

void Executors::Close() {
  for (const auto& queue : queues_) queue->Close();
  for (const auto& thread : threads_) thread->Join();
}

void Executors::Run(BlockingQueue<Task>* queue) {
  while (std::optional<Task> task = queue->Pop()) {
    try {
      (*task)();
    } catch (const std::exception& error) {
      PS_LOG(kError, "", "a task of the store threw: " << error.what());
    }
  }
}

}  // namespace ps

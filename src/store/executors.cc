#include "store/executors.h"

#include <exception>
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

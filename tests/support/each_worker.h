// A thread per worker.
#ifndef PS_TESTS_SUPPORT_EACH_WORKER_H_
#define PS_TESTS_SUPPORT_EACH_WORKER_H_

#include <thread>
#include <vector>

namespace ps {

// Runs body(worker) on a thread for each, and returns when all have ended.
template <typename Body>
void RunOnEachWorker(int num_workers, const Body& body) {
  std::vector<std::thread> threads;
  for (int i = 0; i < num_workers; ++i) threads.emplace_back([&body, i] { body(i); });
  for (std::thread& thread : threads) thread.join();
}

}  // namespace ps

#endif  // PS_TESTS_SUPPORT_EACH_WORKER_H_

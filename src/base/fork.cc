#include "base/fork.h"

#include <pthread.h>

#include <atomic>

namespace ps {
namespace {

std::atomic<int> running{0};
std::atomic<bool> forked{false};

void OnForkInChild() {
  if (running.load() > 0) forked.store(true);
}

}  // namespace

Status CheckNotForked() {
  if (!forked.load(std::memory_order_relaxed)) return Status::Ok();
  return Status::FailedPrecondition(
      "this process was forked from one that runs a node, and has none of its threads: it may call exec or "
      "_exit; "
      "nodes and apps belong to the parent");
}

void CountRunningThreads(int change) {
  [[maybe_unused]] static const int registered = pthread_atfork(nullptr, nullptr, OnForkInChild);
  running.fetch_add(change);
}

}  // namespace ps

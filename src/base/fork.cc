#include "base/fork.h"

#include <pthread.h>

namespace ps {
namespace {

std::atomic<int> running{0};

void OnForkInChild() {
  if (running.load() > 0) internal::forked.store(true);
}

}  // namespace

std::atomic<bool> internal::forked{false};

Status internal::Forked() {
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

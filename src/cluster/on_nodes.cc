#include "cluster/on_nodes.h"

#include <memory>

#include "base/guarded.h"
#include "base/mutex.h"
#include "base/thread.h"

namespace ps {

std::exception_ptr OnNodes(const std::vector<Postoffice*>& nodes,
                           const std::function<void(Postoffice&)>& step, const std::function<void()>& close) {
  Mutex mutex;
  std::exception_ptr first;
  std::vector<std::unique_ptr<Thread>> threads;
  for (Postoffice* const node : nodes) {
    threads.push_back(std::make_unique<Thread>("ps-node", [&, node] {
      const ScopedPostoffice bound(node);
      try {
        step(*node);
      } catch (...) {
        {
          MutexLock lock(mutex);
          if (first != nullptr) return;
          first = std::current_exception();
        }
        if (close) close();
      }
    }));
  }
  threads.clear();
  return first;
}

Status StatusOf(const std::exception_ptr& error) {
  return Guarded([&error] {
    if (error != nullptr) std::rethrow_exception(error);
    return Status::Ok();
  });
}

}  // namespace ps

#include "store/shared_store.h"

#include <chrono>
#include <map>
#include <utility>
#include <vector>

#include "app/node_text.h"
#include "base/guarded.h"
#include "base/log.h"
#include "base/mutex.h"
#include "base/never_destroyed.h"
#include "ps/postoffice.h"

namespace ps {
namespace {

// One node's. Its lock is not held while the node starts, which may take as long as the slowest other one.
struct Shared {
  Mutex mutex;
  CondVar changed;
  bool is_there PS_GUARDED_BY(mutex) = false;  // from before the store is made until it is gone
  std::weak_ptr<SharedStore> store PS_GUARDED_BY(mutex);

  // The store; null: the caller makes it, and nobody else meanwhile.
  std::shared_ptr<SharedStore> Take() {
    MutexLock lock(mutex);
    while (true) {
      if (std::shared_ptr<SharedStore> there = store.lock()) return there;
      if (!is_there) break;
      changed.Wait(mutex);
    }
    is_there = true;
    return nullptr;
  }
  void Put(const std::shared_ptr<SharedStore>& made) {
    MutexLock lock(mutex);
    store = made;
    changed.NotifyAll();
  }
  void SetGone() {
    MutexLock lock(mutex);
    is_there = false;
    changed.NotifyAll();
  }
};

// Entries stay: some bytes per node that there ever was.
class SharedStores {
 public:
  Shared* Of(Postoffice* node) {
    MutexLock lock(mutex_);
    std::unique_ptr<Shared>& shared = stores_[node];
    if (shared == nullptr) shared = std::make_unique<Shared>();
    return shared.get();
  }

 private:
  Mutex mutex_;
  std::map<Postoffice*, std::unique_ptr<Shared>> stores_ PS_GUARDED_BY(mutex_);
};

SharedStores& TheSharedStores() {
  static NeverDestroyed<SharedStores> stores;
  return stores.value;
}

// A node that has ended knows of no workers.
bool IsStarted(Postoffice* node) { return node->van() != nullptr && node->num_workers() > 0; }

}  // namespace

std::shared_ptr<SharedStore> SharedStore::Of(Postoffice* node) {
  Shared* const shared = TheSharedStores().Of(node);
  if (std::shared_ptr<SharedStore> there = shared->Take()) return there;
  SharedStore* made = nullptr;
  try {
    made = new SharedStore(node);  // NOLINT: owned by the next line
  } catch (...) {
    shared->SetGone();
    throw;
  }
  const std::shared_ptr<SharedStore> store(made, [shared](SharedStore* last) {
    delete last;  // NOLINT: that of the line above
    shared->SetGone();
  });
  shared->Put(store);
  return store;
}

SharedStore::SharedStore(Postoffice* node) : node_(node) {
  if (!node->is_worker())
    ThrowIfError(
        Status::FailedPrecondition("a distributed store is for workers (DMLC_ROLE=worker); servers and the "
                                   "scheduler call RunServer, or are "
                                   "ps_node"));
  if (!IsStarted(node)) {
    node->Start(0, nullptr, true);
    is_started_here_ = true;
  }
  store_ = std::make_unique<Store>(node);
  commands_ = std::make_unique<SimpleApp>(node, kCommandApp, kCommandApp);
}

void SharedStore::LeaveAtEnd(const std::string& table, std::function<Ticket()> leave) {
  MutexLock lock(mutex_);
  leaves_[table] = std::move(leave);
}

void SharedStore::LeaveTables() {
  std::map<std::string, std::function<Ticket()>> leaves;
  {
    MutexLock lock(mutex_);
    leaves.swap(leaves_);
  }
  std::vector<Ticket> tickets;
  // What fails, as where the program has closed the store, must not escape: the last holder may be anybody.
  Status left = Guarded([&] {
    const StoreBatch batch(*store_);
    for (const auto& [table, leave] : leaves) tickets.push_back(leave());
    return Status::Ok();
  });
  for (const Ticket& ticket : tickets) {
    if (!left.ok()) break;
    left = ticket.WaitFor(std::chrono::milliseconds(node_->config().request_timeout_ms));
    if (left.code() == StatusCode::kNotFound) left = Status::Ok();  // it was erased
  }
  if (!left.ok())
    PS_LOG(kWarning, LogName(node_), "other workers may wait for rounds of this one: " << left);
}

SharedStore::~SharedStore() {
  const std::string name = LogName(node_);
  if (is_started_here_) LeaveTables();
  commands_.reset();
  store_.reset();
  if (!is_started_here_) return;
  const Status ended = node_->TryFinalize(0, barrier_before_exit_);
  if (!ended.ok()) PS_LOG(kError, name, "the node of the last store did not end as it should: " << ended);
}

}  // namespace ps

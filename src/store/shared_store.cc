#include "store/shared_store.h"

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "app/customer_core.h"
#include "app/node_text.h"
#include "base/clock.h"
#include "base/guarded.h"
#include "base/log.h"
#include "base/mutex.h"
#include "base/never_destroyed.h"
#include "postoffice/started.h"
#include "ps/postoffice.h"

namespace ps {
namespace {

bool RunsCallbackOf(Postoffice* node) {
  const CustomerCore* const current = CustomerCore::Current();
  return current != nullptr && current->postoffice() == node;
}

// One node's. Its lock is not held while the node starts, which may take as long as the slowest other one.
struct Shared {
  Mutex mutex;
  CondVar changed;
  bool is_there PS_GUARDED_BY(mutex) = false;  // from before the store is made until it is gone
  bool is_made PS_GUARDED_BY(mutex) = false;   // the same from when it is made
  std::weak_ptr<SharedStore> store PS_GUARDED_BY(mutex);

  // The store; null: the caller makes it, and nobody else meanwhile. One that starts has deadlines of its
  // own; one that goes waits for callbacks, among them perhaps the caller.
  Result<std::shared_ptr<SharedStore>> Take(Postoffice* node) {
    const std::int64_t most_ms = node->config().barrier_timeout_ms;  // that its end waits for others
    const std::int64_t deadline_ms = most_ms > 0 ? Clock::Real().NowMs() + most_ms : CondVar::kNever;
    MutexLock lock(mutex);
    while (true) {
      if (std::shared_ptr<SharedStore> there = store.lock()) return there;
      if (!is_there) break;
      if (!is_made) {
        changed.Wait(mutex);
        continue;
      }
      if (RunsCallbackOf(node))
        return Status::FailedPrecondition(
            "the last store of this node is being freed, which waits for this callback");
      if (!changed.WaitUntil(mutex, deadline_ms))
        return Status::DeadlineExceeded(
            "the last store of this node is being freed, and was not gone after " + std::to_string(most_ms) +
            " ms (PS_BARRIER_TIMEOUT)");
    }
    is_there = true;
    return std::shared_ptr<SharedStore>();
  }
  void Put(const std::shared_ptr<SharedStore>& made) {
    MutexLock lock(mutex);
    store = made;
    is_made = true;
    changed.NotifyAll();
  }
  void SetGone() {
    MutexLock lock(mutex);
    is_there = is_made = false;
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

}  // namespace

std::shared_ptr<SharedStore> SharedStore::Of(Postoffice* node) {
  Shared* const shared = TheSharedStores().Of(node);
  if (std::shared_ptr<SharedStore> there = shared->Take(node).value()) return there;
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
  if (!IsStarted(*node)) {
    node->Start(0, nullptr, true);
    is_started_here_ = true;
  }
  try {
    store_ = std::make_unique<Store>(node);
    commands_ = std::make_unique<SimpleApp>(node, kCommandApp, kCommandApp);
  } catch (...) {
    store_.reset();
    // Or the others would wait for a node that nobody has.
    if (is_started_here_) End(false);
    throw;
  }
}

void SharedStore::End(bool waits_for_all) {
  const std::string name = LogName(node_);
  const Status ended = node_->TryFinalize(0, waits_for_all);
  if (!ended.ok()) PS_LOG(kError, name, "the node of the last store did not end as it should: " << ended);
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
  if (!left.ok()) PS_LOG(kWarning, LogName(node_), "other workers may wait for rounds of this one: " << left);
}

SharedStore::~SharedStore() {
  if (is_started_here_) LeaveTables();
  commands_.reset();
  store_.reset();
  if (is_started_here_) End(barrier_before_exit_);
}

}  // namespace ps

#ifndef PS_VAN_ROUTE_TABLE_H_
#define PS_VAN_ROUTE_TABLE_H_

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "base/mutex.h"
#include "van/roster.h"
#include "van/route.h"

namespace ps {

// The routes of a Van by node id. A route opens when it is first asked for. Thread-safe; its lock is taken
// before none. A route that a new incarnation replaced lives on until the table goes, shut down and empty:
// who is in it need not be waited for.
class RouteTable {
 public:
  // The pointers outlive the table.
  RouteTable(const RouteHost& host, Transport* transport);

  // Who can be reached, and where. Routes to nodes that are gone or have a new incarnation are taken out and
  // returned, to be closed; under PS_ON_NODE_LOST=wait what they have kept goes to the new incarnation. They
  // stay in AllAndRetired until nothing refers to the memory of their requests.
  std::vector<std::shared_ptr<Route>> SetRoster(const Roster& roster);
  // Opens the route if need be. kNotFound names an id the roster does not have.
  Result<std::shared_ptr<Route>> For(int id);
  // Null unless open.
  std::shared_ptr<Route> Find(int id);
  // The same for who looks for every message, mostly without a lock; null, and (For) *error says why. The
  // route stays as long as the table.
  Route* Reach(int id, Status* error) {
    Route* const fast = Fast(id);
    return fast != nullptr ? fast : ReachByLock(id, error);
  }
  Route* Look(int id) {
    Route* const fast = Fast(id);
    return fast != nullptr ? fast : Find(id).get();
  }
  std::vector<std::shared_ptr<Route>> All();
  std::vector<std::shared_ptr<Route>> AllAndRetired();
  // Shuts down those that were taken out and hold nothing any more.
  void Reap();
  // Whether a route to this incarnation still holds memory of its requests.
  bool HoldsMemory(const Node& node);

 private:
  // Nodes with ids below it are found without a lock.
  static constexpr int kFastIds = 1024;

  std::shared_ptr<Route> Open(const Node& node, std::vector<Outgoing> kept) PS_REQUIRES(mutex_);
  void Publish(int id, Route* route) PS_REQUIRES(mutex_);
  Route* ReachByLock(int id, Status* error) PS_EXCLUDES(mutex_);
  Route* Fast(int id) const {
    return id >= 0 && id < kFastIds ? fast_[static_cast<size_t>(id)].load(std::memory_order_acquire)
                                    : nullptr;
  }

  Transport* const transport_;
  Mutex mutex_;
  RouteHost host_ PS_GUARDED_BY(mutex_);
  std::map<int, Node> nodes_ PS_GUARDED_BY(mutex_);
  std::map<int, std::shared_ptr<Route>> routes_ PS_GUARDED_BY(mutex_);
  std::vector<std::shared_ptr<Route>> retired_ PS_GUARDED_BY(mutex_);
  std::vector<std::shared_ptr<Route>> ended_ PS_GUARDED_BY(mutex_);
  std::array<std::atomic<Route*>, kFastIds> fast_{};  // those of routes_ with such ids; written under mutex_
};

}  // namespace ps
#endif  // PS_VAN_ROUTE_TABLE_H_

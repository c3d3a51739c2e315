#ifndef PS_VAN_ROUTE_TABLE_H_
#define PS_VAN_ROUTE_TABLE_H_

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "base/mutex.h"
#include "van/roster.h"
#include "van/route.h"

namespace ps {

// The routes of a Van by node id. A route opens when it is first asked for. Thread-safe; its lock is taken
// before none. Routes are shared: one that a new incarnation replaced lives until its last caller is
// out of it.
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
  std::vector<std::shared_ptr<Route>> All();
  std::vector<std::shared_ptr<Route>> AllAndRetired();
  // Shuts down those that were taken out and hold nothing any more.
  void Reap();
  // Whether a route to this incarnation still holds memory of its requests.
  bool HoldsMemory(const Node& node);

 private:
  std::shared_ptr<Route> Open(const Node& node, std::vector<Outgoing> kept) PS_REQUIRES(mutex_);

  Transport* const transport_;
  Mutex mutex_;
  RouteHost host_ PS_GUARDED_BY(mutex_);
  std::map<int, Node> nodes_ PS_GUARDED_BY(mutex_);
  std::map<int, std::shared_ptr<Route>> routes_ PS_GUARDED_BY(mutex_);
  std::vector<std::shared_ptr<Route>> retired_ PS_GUARDED_BY(mutex_);
};

}  // namespace ps
#endif  // PS_VAN_ROUTE_TABLE_H_

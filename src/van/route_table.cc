#include "van/route_table.h"

#include <string>
#include <utility>

namespace ps {

RouteTable::RouteTable(const RouteHost& host, Transport* transport) : host_(host), transport_(transport) {}

std::vector<std::shared_ptr<Route>> RouteTable::SetRoster(const Roster& roster) {
  std::vector<std::shared_ptr<Route>> replaced;
  MutexLock lock(mutex_);
  nodes_.clear();
  for (const Node& node : roster.nodes) nodes_[node.id] = node;
  for (auto entry = routes_.begin(); entry != routes_.end();) {
    const auto node = nodes_.find(entry->first);
    if (node != nodes_.end() && node->second.incarnation == entry->second->peer().incarnation) {
      ++entry;
      continue;
    }
    replaced.push_back(std::move(entry->second));
    entry = routes_.erase(entry);
  }
  return replaced;
}

Result<std::shared_ptr<Route>> RouteTable::For(int id) {
  MutexLock lock(mutex_);
  const auto open = routes_.find(id);
  if (open != routes_.end()) return open->second;
  const auto node = nodes_.find(id);
  if (node == nodes_.end()) return Status::NotFound("node " + std::to_string(id) + " doesn't exist");
  const Address address{node->second.hostname, node->second.port};
  Transport* const transport = transport_;
  auto route = std::make_shared<Route>(host_, node->second,
                                       [transport, address] { return transport->Connect(address); });
  routes_[id] = route;
  return route;
}

std::shared_ptr<Route> RouteTable::Find(int id) {
  MutexLock lock(mutex_);
  const auto open = routes_.find(id);
  return open == routes_.end() ? nullptr : open->second;
}

std::vector<std::shared_ptr<Route>> RouteTable::All() {
  std::vector<std::shared_ptr<Route>> all;
  MutexLock lock(mutex_);
  for (const auto& [id, route] : routes_) all.push_back(route);
  return all;
}

}  // namespace ps

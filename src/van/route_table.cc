#include "van/route_table.h"

#include <algorithm>
#include <string>
#include <utility>

namespace ps {

RouteTable::RouteTable(const RouteHost& host, Transport* transport) : transport_(transport), host_(host) {}

std::vector<std::shared_ptr<Route>> RouteTable::SetRoster(const Roster& roster) {
  std::vector<std::shared_ptr<Route>> replaced;
  MutexLock lock(mutex_);
  host_.settings.keeps_requests = roster.settings.on_node_lost == OnNodeLost::kWait;
  nodes_.clear();
  for (const Node& node : roster.nodes) nodes_[node.id] = node;
  for (auto entry = routes_.begin(); entry != routes_.end();) {
    const auto node = nodes_.find(entry->first);
    if (node != nodes_.end() && node->second.incarnation == entry->second->peer().incarnation) {
      ++entry;
      continue;
    }
    Publish(entry->first, nullptr);
    replaced.push_back(std::move(entry->second));
    entry = routes_.erase(entry);
  }
  retired_.insert(retired_.end(), replaced.begin(), replaced.end());
  if (!host_.settings.keeps_requests) return replaced;
  for (const std::shared_ptr<Route>& old : replaced) {
    std::vector<Outgoing> kept = old->Supersede();
    const auto node = nodes_.find(old->peer().id);
    // Opened under the lock: nothing is sent before what was kept.
    if (!kept.empty() && node != nodes_.end()) routes_[node->first] = Open(node->second, std::move(kept));
  }
  return replaced;
}

void RouteTable::Publish(int id, Route* route) {
  if (id >= 0 && id < kFastIds) fast_[static_cast<size_t>(id)].store(route, std::memory_order_release);
}

Route* RouteTable::ReachByLock(int id, Status* error) {
  const Result<std::shared_ptr<Route>> route = For(id);
  *error = route.status();
  return route.ok() ? route.value().get() : nullptr;
}

Result<std::shared_ptr<Route>> RouteTable::For(int id) {
  MutexLock lock(mutex_);
  const auto open = routes_.find(id);
  if (open != routes_.end()) return open->second;
  const auto node = nodes_.find(id);
  if (node == nodes_.end()) return Status::NotFound("node " + std::to_string(id) + " doesn't exist");
  return routes_[id] = Open(node->second, {});
}

std::shared_ptr<Route> RouteTable::Open(const Node& node, std::vector<Outgoing> kept) {
  const Address address{node.hostname, node.port};
  // Faster ways are for data; what keeps the cluster together takes the ordinary one.
  const bool is_data = node.role != Node::SCHEDULER && host_.self->role() != Node::SCHEDULER;
  const uint64_t incarnation = is_data ? node.incarnation : 0;
  Transport* const transport = transport_;
  const auto connect = [transport, address, incarnation] { return transport->Connect(address, incarnation); };
  std::shared_ptr<Route> route = std::make_shared<Route>(host_, node, connect, std::move(kept));
  Publish(node.id, route.get());
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

std::vector<std::shared_ptr<Route>> RouteTable::AllAndRetired() {
  std::vector<std::shared_ptr<Route>> all = All();
  MutexLock lock(mutex_);
  all.insert(all.end(), retired_.begin(), retired_.end());
  return all;
}

void RouteTable::Reap() {
  std::vector<std::shared_ptr<Route>> done;
  {
    MutexLock lock(mutex_);
    const auto holds = [](const std::shared_ptr<Route>& route) { return route->HoldsMemory(); };
    const auto first = std::stable_partition(retired_.begin(), retired_.end(), holds);
    done.assign(first, retired_.end());
    ended_.insert(ended_.end(), first, retired_.end());
    retired_.erase(first, retired_.end());
  }
  for (const std::shared_ptr<Route>& route : done) route->Shutdown();
}

bool RouteTable::HoldsMemory(const Node& node) {
  for (const std::shared_ptr<Route>& route : AllAndRetired()) {
    if (route->peer().incarnation == node.incarnation && route->HoldsMemory()) return true;
  }
  return false;
}

}  // namespace ps

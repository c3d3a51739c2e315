#include "van/identity.h"

#include <random>

namespace ps {

uint64_t RandomId() {
  std::random_device source;
  uint64_t id = 0;
  while (id == 0) id = (static_cast<uint64_t>(source()) << 32) | source();
  return id;
}

Identity::Identity(Node::Role role, int customer_id) : incarnation_(RandomId()), role_(role) {
  MutexLock lock(mutex_);
  node_.role = role;
  node_.customer_id = customer_id;
  node_.incarnation = incarnation_;
}

Node Identity::node() const {
  MutexLock lock(mutex_);
  return node_;
}

void Identity::SetAddress(const std::string& host, int port) {
  MutexLock lock(mutex_);
  node_.hostname = host;
  node_.port = port;
}

void Identity::SetId(int id, bool is_recovery) {
  MutexLock lock(mutex_);
  node_.id = id;
  node_.is_recovery = is_recovery;
  wire_id_.store(static_cast<uint32_t>(id), std::memory_order_release);
}

std::string Identity::name() const {
  MutexLock lock(mutex_);
  return node_.ShortDebugString();
}

}  // namespace ps

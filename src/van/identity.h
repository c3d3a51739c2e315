#ifndef PS_VAN_IDENTITY_H_
#define PS_VAN_IDENTITY_H_

#include <atomic>
#include <cstdint>
#include <string>

#include "base/mutex.h"
#include "ps/message.h"

namespace ps {

// Who this node is: role and incarnation from the start, address after Bind, id after the roster.
// Thread-safe.
class Identity {
 public:
  // Draws a random incarnation.
  Identity(Node::Role role, int customer_id);

  uint64_t incarnation() const { return incarnation_; }
  Node::Role role() const { return role_; }
  // 0 while the scheduler has not assigned one.
  uint32_t wire_id() const { return wire_id_.load(std::memory_order_acquire); }
  // Node::kEmpty while unknown.
  int id() const {
    const uint32_t id = wire_id();
    return id == 0 ? Node::kEmpty : static_cast<int>(id);
  }

  Node node() const;
  void SetAddress(const std::string& host, int port);
  void SetId(int id, bool is_recovery);
  // "W[9]", "W" before the id is known.
  std::string name() const;

 private:
  const uint64_t incarnation_;
  const Node::Role role_;
  std::atomic<uint32_t> wire_id_{0};
  mutable Mutex mutex_;
  Node node_ PS_GUARDED_BY(mutex_);
};

// 64 random bits that are not 0.
uint64_t RandomId();

}  // namespace ps
#endif  // PS_VAN_IDENTITY_H_

#ifndef PS_VAN_ROUTE_HOST_H_
#define PS_VAN_ROUTE_HOST_H_

#include <cstdint>
#include <functional>
#include <memory>

#include "base/counters.h"
#include "base/receive_token.h"
#include "van/assembler.h"
#include "van/identity.h"

namespace ps {

struct RouteSettings {
  uint64_t chunk_bytes = 1 << 20;
  uint64_t max_message_bytes = 8ULL << 30;
  uint32_t water_mark = 1000;
  uint64_t send_buffer_bytes = 64ULL << 20;
  int64_t ask_after_ms = 1000;
  int64_t request_timeout_ms = 60000;  // until acknowledged; 0 = none
  bool keeps_requests = false;  // until they are answered, for a peer that comes back (PS_ON_NODE_LOST=wait)
  int64_t answer_timeout_ms = 0;  // kept requests are forgotten after that; 0 = never
};

// What all routes of a van share. The plain pointers outlive the routes.
struct RouteHost {
  const Identity* self = nullptr;
  Counters* counters = nullptr;
  std::function<void(int64_t at_ms)> wake_at;  // arms ps-io: OnTimer of all routes at that time
  RouteSettings settings;
  Assembler::Borrows borrows = nullptr;              // asked by the receiver's thread; null: nobody does
  std::shared_ptr<Dependents> dependents = nullptr;  // whom waiting threads are counted among
};

}  // namespace ps
#endif  // PS_VAN_ROUTE_HOST_H_

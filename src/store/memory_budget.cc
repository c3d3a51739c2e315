#include "store/memory_budget.h"

namespace ps {

Status MemoryBudget::Take(std::uint64_t bytes, const std::string& whom) {
  std::uint64_t used = used_bytes_.load(std::memory_order_relaxed);
  do {
    // Written so that no sum overflows.
    if (limit_bytes_ != 0 && (used > limit_bytes_ || bytes > limit_bytes_ - used)) {
      return Status::ResourceExhausted(whom + " needs " + std::to_string(bytes) +
                                       " more bytes, but this server stores " + std::to_string(used) +
                                       " of the " + std::to_string(limit_bytes_) +
                                       " that PS_SERVER_MEMORY_LIMIT allows: raise it, or use more servers");
    }
  } while (!used_bytes_.compare_exchange_weak(used, used + bytes, std::memory_order_relaxed));
  return Status::Ok();
}

}  // namespace ps

#ifndef PS_STORE_MEMORY_BUDGET_H_
#define PS_STORE_MEMORY_BUDGET_H_

#include <atomic>
#include <cstdint>
#include <string>
#include <utility>

#include "ps/status.h"

namespace ps {

// How many bytes the shards of a server may take together (PS_SERVER_MEMORY_LIMIT). It counts what was asked
// for, not what the system has given. Any thread.
class MemoryBudget {
 public:
  // 0: no limit; then only the sum is kept.
  explicit MemoryBudget(std::uint64_t limit_bytes = 0) : limit_bytes_(limit_bytes) {}
  MemoryBudget(const MemoryBudget&) = delete;
  MemoryBudget& operator=(const MemoryBudget&) = delete;

  // Counts `bytes` for `whom` (table and what it wants them for), or kResourceExhausted, and nothing is
  // counted.
  Status Take(std::uint64_t bytes, const std::string& whom);
  // The same for what is small beside what was taken before, and cannot be refused any more: it may exceed
  // the limit, and the next Take is refused.
  void TakeAnyway(std::uint64_t bytes) { used_bytes_.fetch_add(bytes, std::memory_order_relaxed); }
  void Give(std::uint64_t bytes) { used_bytes_.fetch_sub(bytes, std::memory_order_relaxed); }

  std::uint64_t used_bytes() const { return used_bytes_.load(std::memory_order_relaxed); }
  std::uint64_t limit_bytes() const { return limit_bytes_; }

 private:
  const std::uint64_t limit_bytes_;
  std::atomic<std::uint64_t> used_bytes_{0};
};

// Bytes that are counted in a budget while this lives.
class BudgetClaim {
 public:
  BudgetClaim() = default;  // none
  // They were taken.
  BudgetClaim(MemoryBudget* budget, std::uint64_t bytes) : budget_(budget), bytes_(bytes) {}
  BudgetClaim(BudgetClaim&& other) noexcept
      : budget_(std::exchange(other.budget_, nullptr)), bytes_(other.bytes_) {}
  BudgetClaim& operator=(BudgetClaim&& other) noexcept {
    std::swap(budget_, other.budget_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~BudgetClaim() {
    if (budget_ != nullptr) budget_->Give(bytes_);
  }
  BudgetClaim(const BudgetClaim&) = delete;
  BudgetClaim& operator=(const BudgetClaim&) = delete;

 private:
  MemoryBudget* budget_ = nullptr;
  std::uint64_t bytes_ = 0;
};

}  // namespace ps
#endif  // PS_STORE_MEMORY_BUDGET_H_

#ifndef PS_STORE_CONTRIBUTION_H_
#define PS_STORE_CONTRIBUTION_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "ps/base.h"
#include "ps/sarray.h"
#include "store/memory_budget.h"
#include "store/reply.h"
#include "store/table_slots.h"

namespace ps {

// What one operation adds to, or writes into, a table on one server, from its arrival until it is part of the
// values. Each slot's share is used by the slot's lane alone.
class Contribution {
 public:
  // `is_borrowed`: `values` are the sender's memory, until the operation is answered.
  Contribution(std::shared_ptr<Reply> reply, std::size_t op, SArray<Key> keys, SArray<char> values,
               bool is_borrowed);

  // Shares the rows out. `row_bytes`: of a row of `values`.
  void ShareOut(const TableSlots& slots, const RowSet& rows, std::size_t row_bytes);
  std::size_t num_shares() const { return shares_.size(); }
  bool HasShare(std::size_t slot) const { return shares_[slot].portion.rows.count != 0; }

  // By the slot's lane.
  const RowSet& rows(std::size_t slot) const { return shares_[slot].portion.rows; }
  const char* values(std::size_t slot);
  // From here on it needs nothing of the sender's.
  void Keep(std::size_t slot);
  // This slot has taken it over, or dropped it: its sender can be told, once all slots have.
  void Acknowledge(std::size_t slot);
  void Fail(const Status& why) { reply_->Fail(op_, why); }

  // It has a share in any slot.
  bool HasShares() const;
  // A row may be in it twice.
  bool MayRepeat() const;

  // For the receiving side.
  int worker = 0;
  std::uint64_t round = 0;
  bool is_folded = false;  // its lanes were told to add it to the sum of its round
  BudgetClaim claim;       // for its values, where it waits

 private:
  struct Share {
    Portion portion;
    const char* values = nullptr;
    SArray<char> own;  // copied
    bool is_acknowledged = false;
  };

  void Pick(Share* share);

  const std::shared_ptr<Reply> reply_;
  const std::size_t op_;
  const SArray<Key> keys_;
  const SArray<char> values_;
  const bool is_borrowed_;
  std::size_t row_bytes_ = 0;
  std::vector<Share> shares_;
  std::atomic<int> open_shares_{0};
};

}  // namespace ps
#endif  // PS_STORE_CONTRIBUTION_H_

#ifndef PS_STORE_TABLE_SLOTS_H_
#define PS_STORE_TABLE_SLOTS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "ps/range.h"
#include "ps/status.h"
#include "ps/table_spec.h"
#include "store/memory_budget.h"
#include "store/round_sum.h"
#include "store/row_set.h"
#include "store/shard.h"
#include "store/table_rule.h"

namespace ps {

// The share of one slot in the rows of an operation.
struct Portion {
  RowSet rows;                        // `count` 0: none
  std::size_t first = 0;              // of a range, or of all of a list: where it begins in the operation
  std::vector<std::uint64_t> keys;    // of a list that several slots share: the slot's ...
  std::vector<std::uint32_t> places;  // ... and where they stand in the operation

  bool is_run() const { return places.empty(); }
};

// What one server has of a table, cut into slots: each belongs to one lane of the executors and is touched by
// it alone.
class TableSlots {
 public:
  struct Slot {
    int lane = 0;
    std::uint64_t first_row = 0;  // dense
    std::uint64_t num_rows = 0;
    std::unique_ptr<Updater> updater;
    bool is_builtin = true;  // the updater, see IsBuiltinUpdater
    std::unique_ptr<Shard> shard;
    std::unique_ptr<RoundSum> sum;  // kMerged
    Status error;                   // of what nobody waits for: the next operation is told
    Status broken;  // its updater has not made the first values: every operation is told, until it has
  };
  // Where a table is made.
  struct Place {
    Range range;  // what the server has: rows of a dense table, slots of the partition of a hash table
    int num_workers = 1;
    int num_lanes = 1;
    MemoryBudget* budget = nullptr;  // outlives it; null: no limit
    std::uint64_t epoch = 1;         // of versions: another one after each start of the server
    std::shared_ptr<const UpdaterHost> host = nullptr;  // of the server
  };

  // With the rule that the spec says, or another one. kInvalidArgument where updater and table do not fit,
  // kNotFound where there is no such updater, kResourceExhausted where there is no memory.
  static Result<std::unique_ptr<TableSlots>> Make(const TableSpec& spec, const Place& place);
  static Result<std::unique_ptr<TableSlots>> Make(const TableSpec& spec, const Place& place,
                                                  const TableRule& rule);
  // The same slots, without values and sums, of another rule; each of them to take its values over. Whatever
  // lanes do with this one meanwhile.
  Result<std::unique_ptr<TableSlots>> WithRule(const TableRule& rule) const;

  std::size_t size() const { return slots_.size(); }
  Slot& operator[](std::size_t i) { return slots_[i]; }
  const Place& place() const { return place_; }
  std::uint64_t epoch() const { return place_.epoch; }
  // One portion per slot.
  std::vector<Portion> Split(const RowSet& rows) const;
  // The rows that this server has of a dense table.
  RowSet all() const { return RowSet::Range(place_.range.begin(), place_.range.size()); }
  // Puts back a piece of a hash table: each key in its slot. Before lanes use it.
  Status Restore(const Shard::Piece& piece);

 private:
  TableSlots(const TableSpec& spec, const Place& place, const TableRule& rule)
      : made_as_(spec), rule_(rule), spec_(rule.In(spec)), place_(place) {}
  Status MakeSlots();
  bool IsWhole() const;
  Status CheckWhole(const Updater& updater, std::size_t num_slots) const;
  // `slot` says which rows, and on which lane.
  Status Fill(Slot* slot, bool has_sum);
  std::size_t SlotOf(std::uint64_t key) const;

  const TableSpec made_as_;
  const TableRule rule_;
  const TableSpec spec_;  // with this rule
  const Place place_;
  int num_states_ = 0;
  std::vector<Slot> slots_;
};

}  // namespace ps
#endif  // PS_STORE_TABLE_SLOTS_H_

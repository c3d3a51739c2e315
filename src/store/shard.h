#ifndef PS_STORE_SHARD_H_
#define PS_STORE_SHARD_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "ps/status.h"
#include "ps/table_spec.h"
#include "ps/updater.h"
#include "store/memory_budget.h"
#include "store/row_set.h"

namespace ps {

// The rows of one table that one thread of a server owns: values, the updater's state, a version per row. No
// locks: all calls come from that thread (or none runs at a time). Values go in and out in the table's dtype,
// row after row, `width` elements each; arrays are aligned for their elements. Row ids are the table's; who
// calls has checked that they belong here.
class Shard {
 public:
  // What a delta read found.
  struct Changed {
    std::vector<std::uint32_t> places;  // in the row set, rising
  };

  virtual ~Shard() = default;

  // Applies the updater to `rows` with `delta`; rows that occur several times one after the other.
  // kResourceExhausted (PS_SERVER_MEMORY_LIMIT): nothing was applied.
  virtual Status Update(const RowSet& rows, const void* delta, const UpdateContext& context) = 0;
  // Sets values; the updater's state stays.
  virtual Status Set(const RowSet& rows, const void* values) = 0;
  // The same with values in the master dtype: sums of 16-bit floats before they are rounded. Updates, or
  // sets.
  virtual Status ApplyMasters(const RowSet& rows, const void* values, bool sets,
                              const UpdateContext& context) = 0;
  // Rows that a hash table does not have read as the initial values and are not made.
  virtual void Read(const RowSet& rows, void* values) const = 0;
  // Reads the rows with a version above `since`, one after the other, into `values` (room for all of `rows`).
  virtual void ReadSince(const RowSet& rows, std::uint64_t since, void* values, Changed* changed) const = 0;
  // Of the last change; each Update and Set counts one.
  virtual std::uint64_t version() const = 0;
  // Forgets rows: they are as never written.
  virtual void Erase(const RowSet& rows) = 0;
  // Rows there are (dense: all), and bytes they take.
  virtual std::size_t num_rows() const = 0;
  virtual std::size_t bytes() const = 0;

  // A piece of the shard for a checkpoint: rows with values (masters where there are such), then each state,
  // all as they lie in memory: count x width elements of the master dtype, (1 + states) arrays.
  struct Piece {
    RowSet rows;
    const void* arrays = nullptr;  // valid until the next call of the shard
    std::size_t bytes = 0;
  };
  // Calls `take` for pieces of about a megabyte that are together all rows; ends at its first error.
  virtual Status ForEachPiece(const std::function<Status(const Piece&)>& take) const = 0;
  // Puts a piece back.
  virtual Status Restore(const Piece& piece) = 0;
  // The next change gets the version after this one. Rows keep theirs: of several shards of a table each
  // counts on with the table, whichever of its changes it had a part in.
  virtual void GoOnAfter(std::uint64_t version) = 0;

 protected:
  // See below.
  virtual Status InitializeValues() { return Status::Ok(); }
  virtual Status TakeFrom(const Shard& other) = 0;
  virtual Status MakeRoomFor(const Shard& other) = 0;

 private:
  friend Status InitializeValues(Shard* shard);
  friend Status TakeValues(const Shard& from, Shard* to);
  friend Status MakeRoom(const Shard& from, Shard* to);
};

// Lets the updater see, and change, the first values of a new shard (Updater::Initialize). Before anything
// else.
inline Status InitializeValues(Shard* shard) { return shard->InitializeValues(); }
// `to` is of the same table and rows, and of another rule: from here on it has the rows of `from`. Values and
// versions are those of `from`; states are what `to` has of those rows, zero where it has none.
// kResourceExhausted: `to` is of no use any more. `from` stays as it is.
inline Status TakeValues(const Shard& from, Shard* to) { return to->TakeFrom(from); }
// Memory for that, where it depends on the rows there are.
inline Status MakeRoom(const Shard& from, Shard* to) { return to->MakeRoomFor(from); }

// What a shard is made of.
struct ShardPlan {
  const TableSpec* spec = nullptr;  // copied
  Updater* updater = nullptr;       // outlives the shard
  std::uint64_t first_row = 0;      // dense: the rows [first_row, first_row + num_rows)
  std::uint64_t num_rows = 0;
  MemoryBudget* budget = nullptr;  // the server's, outlives the shard; null: no limit
};

// A dense or a hash shard, as the spec says. kResourceExhausted: the budget or the system has no memory for
// it. kInvalidArgument: the updater needs whole tables, and hash tables have no whole.
Result<std::unique_ptr<Shard>> MakeShard(const ShardPlan& plan);

}  // namespace ps
#endif  // PS_STORE_SHARD_H_

#ifndef PS_STORE_HASH_SHARD_H_
#define PS_STORE_HASH_SHARD_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "store/initial_values.h"
#include "store/row_index.h"
#include "store/row_slab.h"
#include "store/shard.h"
#include "store/update_batch.h"

namespace ps {

// Rows by any 64-bit key, made when they are written first. A row is one piece of memory in a slab:
//
//   key, version | values | masters (16-bit floats with multi_precision) | state 0 | state 1 | ...
//
// and an index says which row has a key. Keys are looked up in groups, so that the processor waits for many
// places in memory at a time. Growth comes in small steps (RowIndex, RowSlab), never as one pause.
//
// Admission of keys that were seen often enough, and rows that end after a time, would come in here:
// Make is the one place where rows are made, and each row has the version of its last change.
class HashShard : public Shard {
 public:
  // kInvalidArgument: the updater needs whole tables. kResourceExhausted: there is no memory for an empty
  // one.
  static Result<std::unique_ptr<HashShard>> Create(const ShardPlan& plan);
  ~HashShard() override;

  // Of all that write: kResourceExhausted when rows of new keys exceed the budget; nothing was applied. If
  // the system itself has no memory for the index any more, what comes before that key was.
  Status Update(const RowSet& rows, const void* delta, const UpdateContext& context) override;
  Status Set(const RowSet& rows, const void* values) override;
  Status ApplyMasters(const RowSet& rows, const void* values, bool sets,
                      const UpdateContext& context) override;
  void Read(const RowSet& rows, void* values) const override;
  // Keys that are not here count as changed when rows were erased since: it is not known which ones.
  void ReadSince(const RowSet& rows, std::uint64_t since, void* values, Changed* changed) const override;
  std::uint64_t version() const override { return version_; }
  void Erase(const RowSet& rows) override;
  std::size_t num_rows() const override { return slab_.num_used(); }
  std::size_t bytes() const override { return reserved_rows_ * slab_.stride() + index_.bytes(); }
  Status ForEachPiece(const std::function<Status(const Piece&)>& take) const override;
  Status Restore(const Piece& piece) override;
  void GoOnAfter(std::uint64_t version) override { version_ = version; }

 protected:
  Status TakeFrom(const Shard& other) override;
  Status MakeRoomFor(const Shard& other) override;

 private:
  static constexpr std::size_t kGroup = 64;

  // Some keys of a call that were looked up together.
  struct Group {
    std::size_t first = 0;  // place in the row set
    std::size_t count = 0;
    std::uint64_t hashes[kGroup];
    std::uint32_t rows[kGroup];  // kNone: the key is not here
    char* values[kGroup];        // of those that are here
  };

  HashShard(const ShardPlan& plan, const ElementFormat& format);

  std::size_t ValueBytes() const { return width_ * value_bytes_; }
  std::size_t MasterBytes() const { return width_ * master_bytes_; }
  ElementRun RunAt(char* values) const;
  std::uint64_t VersionOf(std::uint32_t row) const;

  // Looks the keys [first, first + count) up.
  void Find(const RowSet& rows, Group* group) const;
  template <typename Use>
  void ForEachGroup(const RowSet& rows, Use use) const;
  // The same for who writes: all keys have rows then, with the next version. Throws std::bad_alloc.
  template <typename Use>
  Status ForEachWritten(const RowSet& rows, Use use);

  // Memory for the rows that these keys may need.
  Status Reserve(const RowSet& rows);
  Status ReserveRows(std::size_t count);
  std::size_t CountMissing(const RowSet& rows) const;
  void FindOrMake(const RowSet& rows, Group* group);
  std::uint32_t Make(std::uint64_t hash, std::uint64_t key);
  void Initialize(std::uint64_t key, char* values);
  void SetMasters(char* values, const char* masters) const;
  void CountIndex();
  void TakeRow(const HashShard& from, std::uint32_t row);

  Status RunUpdate(const RowSet& rows, const char* delta, DType delta_dtype, const UpdateContext& context);
  void Apply(const Group& group, const char* delta, DType delta_dtype);
  void CopyIn(const Group& group, const char* values) const;
  // `row`: its values, or null if the key is not here.
  void ReadOne(std::uint64_t key, const char* row, char* to) const;
  void CopyPiece(const std::vector<std::uint32_t>& rows, char* to) const;

  const TableSpec spec_;
  Updater* const updater_;
  const ElementFormat format_;
  const std::size_t width_;
  const std::size_t value_bytes_;
  const std::size_t master_bytes_;
  const std::size_t to_masters_;  // from the values, in bytes
  const std::size_t to_states_;
  const InitialValues initial_;
  MemoryBudget* const budget_;
  std::uint64_t version_ = 0;
  std::uint64_t of_erased_ = 0;  // of the last call that erased rows
  RowSlab slab_;
  RowIndex index_;
  std::size_t reserved_rows_ = 0;  // for which the budget was asked
  std::size_t counted_index_bytes_ = 0;
  mutable std::vector<char> scratch_;
  UpdateBatch batch_;
};

}  // namespace ps
#endif  // PS_STORE_HASH_SHARD_H_

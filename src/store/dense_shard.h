#ifndef PS_STORE_DENSE_SHARD_H_
#define PS_STORE_DENSE_SHARD_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "store/initial_values.h"
#include "store/row_versions.h"
#include "store/shard.h"
#include "store/unfilled_blocks.h"
#include "store/update_batch.h"
#include "store/zeroed_block.h"

namespace ps {

// Rows [first_row, first_row + num_rows) in one block of memory:
//
//   values | masters (16-bit floats with multi_precision) | state 0 | state 1 | ...
//
// each row after row. Memory that holds zeros is taken from the system when it is first touched; other
// initial values are written a block of rows at a time, when a row of it is used first. So making a table
// takes no time, whatever its size. Rows of one element share a version by 64.
class DenseShard : public Shard {
 public:
  // kResourceExhausted: the budget, or the system, does not have the memory.
  static Result<std::unique_ptr<DenseShard>> Create(const ShardPlan& plan);
  ~DenseShard() override;

  // kInvalidArgument: the updater needs the whole, and `rows` is not.
  Status Update(const RowSet& rows, const void* delta, const UpdateContext& context) override;
  Status Set(const RowSet& rows, const void* values) override;
  Status ApplyMasters(const RowSet& rows, const void* values, bool sets,
                      const UpdateContext& context) override;
  void Read(const RowSet& rows, void* values) const override;
  void ReadSince(const RowSet& rows, std::uint64_t since, void* values, Changed* changed) const override;
  std::uint64_t version() const override { return version_; }
  void Erase(const RowSet& rows) override;
  std::size_t num_rows() const override { return num_rows_; }
  std::size_t bytes() const override { return block_.bytes() + versions_.bytes(); }
  Status ForEachPiece(const std::function<Status(const Piece&)>& take) const override;
  Status Restore(const Piece& piece) override;
  void GoOnAfter(std::uint64_t version) override { version_ = version; }

 protected:
  Status InitializeValues() override;
  Status TakeFrom(const Shard& other) override;
  Status MakeRoomFor(const Shard&) override { return Status::Ok(); }  // it has all it needs

 private:
  // Where the arrays begin in the block, and its size; in bytes.
  struct Layout {
    std::size_t masters = 0;
    std::size_t states = 0;
    std::size_t step = 0;  // of an array of the master dtype
    std::size_t total = 0;
  };

  DenseShard(const ShardPlan& plan, const ElementFormat& format, const Layout& layout);
  static ElementFormat FormatOf(const ShardPlan& plan);
  // False: there is no such number.
  static bool PlanLayout(const ShardPlan& plan, const ElementFormat& format, Layout* layout);

  std::size_t RowBytes() const { return width_ * value_bytes_; }
  std::size_t MasterRowBytes() const { return width_ * master_bytes_; }
  char* Values(std::uint64_t row) const { return block_.data() + (row - first_row_) * RowBytes(); }
  char* Masters(std::uint64_t row) const;
  char* State(int k, std::uint64_t row) const;
  bool IsWhole(const RowSet& rows) const { return rows.is_range() && rows.count == num_rows_; }

  // To be called before any other use of rows: they have their initial values then.
  void Fill(const RowSet& rows) const;
  void FillBlock(std::size_t begin, std::size_t count) const;
  void Mark(const RowSet& rows);
  void AddDelta(const RowSet& rows, const char* delta);
  Status CheckWhole(const RowSet& rows) const;
  // `delta_dtype`: the table's, or its master.
  void RunUpdater(const RowSet& rows, const char* delta, DType delta_dtype, const UpdateContext& context);
  void CopyIn(const RowSet& rows, const char* values);
  // Masters of rows from others of `master` elements, and the values that follow from them.
  void SetMasters(std::uint64_t row, std::size_t count, const char* masters) const;
  void CopyPiece(std::uint64_t row, std::size_t count, char* to) const;

  const TableSpec spec_;
  Updater* const updater_;
  const ElementFormat format_;
  const std::uint64_t first_row_;
  const std::size_t num_rows_;
  const std::size_t width_;
  const std::size_t value_bytes_;
  const std::size_t master_bytes_;
  const Layout layout_;
  const InitialValues initial_;
  MemoryBudget* const budget_;
  std::uint64_t version_ = 0;
  ZeroedBlock block_;
  RowVersions versions_;
  // What is filled when it is asked for is the same to who reads.
  mutable UnfilledBlocks unfilled_;
  mutable std::vector<char> scratch_;
  UpdateBatch batch_;
};

}  // namespace ps
#endif  // PS_STORE_DENSE_SHARD_H_

#ifndef PS_STORE_ROUND_SUM_H_
#define PS_STORE_ROUND_SUM_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ps/status.h"
#include "store/row_set.h"
#include "store/row_slots.h"
#include "store/shard.h"
#include "store/zeroed_block.h"

namespace ps {

// The sum of what comes for a shard in one round, which the updater sees once (BSP with apply = merged).
// Each element is summed in the order of the calls, whatever their kinds: the same calls give the same bits.
// In the master dtype, so 16-bit floats in f32; integers wrap around.
//
// A contribution of all rows makes the sum dense (the first one is copied); until then it is a list of the
// rows that were named. Costs what was folded; memory stays for the next round, and counts in the budget.
// One thread.
class RoundSum {
 public:
  // For the shard of the same plan.
  explicit RoundSum(const ShardPlan& plan);
  ~RoundSum();
  RoundSum(const RoundSum&) = delete;
  RoundSum& operator=(const RoundSum&) = delete;

  // Adds `delta` (the table's dtype) to the sum. kResourceExhausted: the sum is as it was.
  Status Fold(const RowSet& rows, const void* delta);
  // Gives the sum to the shard, floats `scale` times, as an update or (`sets`) as new values, and begins the
  // next round. A round in which nothing came changes nothing.
  Status Apply(Shard* shard, double scale, bool sets, const UpdateContext& context);

  bool is_empty() const { return !is_dense_ && slots_.rows().empty(); }
  std::size_t bytes() const { return counted_bytes_; }

 private:
  static constexpr std::size_t kGroup = 64;

  bool IsWhole(const RowSet& rows) const;
  std::size_t RowBytes() const { return width_ * master_bytes_; }
  char* Slot(std::size_t slot) const { return listed_.data() + slot * RowBytes(); }
  char* DenseRow(std::uint64_t row) const { return dense_.data() + (row - first_row_) * RowBytes(); }

  Status FoldWhole(const char* delta);
  Status FoldList(const RowSet& rows, const char* delta);
  void FoldIntoDense(const RowSet& rows, const char* delta);
  void AddPlaces(char* const* places, std::size_t count, const char* delta);
  // `to` = or += `count` elements of the table's dtype.
  void CopyWide(char* to, const char* from, std::size_t count) const;
  void AddWide(char* to, const char* from, std::size_t count) const;
  void FillNothing(char* to, std::size_t count) const;
  void Scale(char* values, std::size_t count, double scale) const;

  Status MakeDense();
  // Room for so many rows in the list.
  Status Reserve(std::size_t num_rows);
  Status Count(std::size_t bytes);

  const std::string table_;
  const DType dtype_;
  const DType master_;
  const bool is_of_dense_table_;
  const std::size_t width_;
  const std::size_t value_bytes_;
  const std::size_t master_bytes_;
  const std::uint64_t first_row_;
  const std::size_t num_rows_;  // of the shard, if it is dense
  MemoryBudget* const budget_;
  std::size_t counted_bytes_ = 0;

  bool is_dense_ = false;  // the sum is in dense_, else in the list
  ZeroedBlock dense_;      // all rows
  RowSlots slots_;
  ZeroedBlock listed_;  // the sums of rows, by slot
  std::size_t list_capacity_ = 0;
  std::size_t num_listed_ = 0;  // slots that have a sum
  std::vector<float> wide_;     // 16-bit deltas of a group in f32
};

}  // namespace ps
#endif  // PS_STORE_ROUND_SUM_H_

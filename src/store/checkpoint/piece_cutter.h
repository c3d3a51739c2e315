#ifndef PS_STORE_CHECKPOINT_PIECE_CUTTER_H_
#define PS_STORE_CHECKPOINT_PIECE_CUTTER_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ps/range.h"
#include "store/checkpoint/record.h"
#include "store/shard.h"

namespace ps {

// Cuts out of pieces what lies in a range: servers that read a checkpoint of another number of servers own
// parts of pieces.
class PieceCutter {
 public:
  // The rows of `piece`, of the table `record`, that lie in `range` (of rows, or of slots). Valid until the
  // next call and as long as `piece`.
  Shard::Piece Cut(const TableRecord& record, const Shard::Piece& piece, const Range& range);

 private:
  Shard::Piece CutRows(const TableRecord& record, const Shard::Piece& piece, const Range& range);
  Shard::Piece CutKeys(const TableRecord& record, const Shard::Piece& piece, const Range& range);

  std::vector<std::uint64_t> keys_;
  std::vector<std::size_t> places_;
  std::vector<char> arrays_;
};

}  // namespace ps
#endif  // PS_STORE_CHECKPOINT_PIECE_CUTTER_H_

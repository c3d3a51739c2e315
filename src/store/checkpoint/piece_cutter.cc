#include "store/checkpoint/piece_cutter.h"

#include <algorithm>
#include <cstring>

#include "store/partition.h"

namespace ps {

Shard::Piece PieceCutter::Cut(const TableRecord& record, const Shard::Piece& piece, const Range& range) {
  return piece.rows.is_range() ? CutRows(record, piece, range) : CutKeys(record, piece, range);
}

Shard::Piece PieceCutter::CutRows(const TableRecord& record, const Shard::Piece& piece, const Range& range) {
  const RowSet& rows = piece.rows;
  const std::uint64_t begin = std::max(rows.begin, range.begin());
  const std::uint64_t end = std::min(rows.begin + rows.count, range.end());
  if (begin >= end) return Shard::Piece();
  const auto count = static_cast<std::size_t>(end - begin);
  if (count == rows.count) return piece;
  const auto num_arrays = static_cast<std::size_t>(1 + record.num_states);
  const std::size_t row_bytes = record.RowBytes() / num_arrays;
  arrays_.resize(count * record.RowBytes());
  const char* const from = static_cast<const char*>(piece.arrays) + (begin - rows.begin) * row_bytes;
  for (std::size_t array = 0; array < num_arrays; ++array) {
    std::memcpy(arrays_.data() + array * count * row_bytes, from + array * rows.count * row_bytes,
                count * row_bytes);
  }
  return {RowSet::Range(begin, count), arrays_.data(), arrays_.size()};
}

Shard::Piece PieceCutter::CutKeys(const TableRecord& record, const Shard::Piece& piece, const Range& range) {
  const RowSet& rows = piece.rows;
  keys_.clear();
  places_.clear();
  for (std::size_t i = 0; i < rows.count; ++i) {
    const std::uint64_t slot = Partition::SlotOf(rows.keys[i]);
    if (slot < range.begin() || slot >= range.end()) continue;
    keys_.push_back(rows.keys[i]);
    places_.push_back(i);
  }
  if (keys_.size() == rows.count) return piece;
  const auto num_arrays = static_cast<std::size_t>(1 + record.num_states);
  const std::size_t row_bytes = record.RowBytes() / num_arrays;
  arrays_.resize(keys_.size() * record.RowBytes());
  char* to = arrays_.data();
  for (std::size_t array = 0; array < num_arrays; ++array) {
    const char* const from = static_cast<const char*>(piece.arrays) + array * rows.count * row_bytes;
    for (const std::size_t place : places_) {
      std::memcpy(to, from + place * row_bytes, row_bytes);
      to += row_bytes;
    }
  }
  return {RowSet::List(keys_.data(), keys_.size()), arrays_.data(), arrays_.size()};
}

}  // namespace ps

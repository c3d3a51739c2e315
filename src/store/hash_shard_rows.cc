// Where all rows of a hash shard go at once: to a shard of another rule, or to a checkpoint.
#include <string>

#include "store/copy_row.h"
#include "store/elements.h"
#include "store/hash_shard.h"

namespace ps {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{1} << 20;

}  // namespace

// --- another rule ---

Status HashShard::MakeRoomFor(const Shard& other) {
  const std::size_t left = reserved_rows_ - slab_.num_used();
  return other.num_rows() <= left ? Status::Ok() : ReserveRows(other.num_rows() - left);
}

void HashShard::TakeRow(const HashShard& from, std::uint32_t row) {
  RowSlab::Header* const theirs = from.slab_.At(row);
  const std::uint64_t hash = RowIndex::Hash(theirs->key);
  std::uint32_t mine = index_.Find(hash, theirs->key);
  if (mine == RowIndex::kNone) mine = Make(hash, theirs->key);
  char* const values = BehindHeader(slab_.At(mine));
  CopyRow(values, BehindHeader(theirs), ValueBytes());
  if (format_.has_masters && from.format_.has_masters) {
    CopyRow(values + to_masters_, BehindHeader(theirs) + from.to_masters_, MasterBytes());
  } else if (format_.has_masters) {
    WidenElements(format_.dtype, values, reinterpret_cast<float*>(values + to_masters_), width_);
  }
  slab_.At(mine)->version = theirs->version;
}

// Rows that only this one has go: the other's versions are never 0.
Status HashShard::TakeFrom(const Shard& other) {
  const auto& from = static_cast<const HashShard&>(other);
  PS_RETURN_IF_ERROR(MakeRoomFor(other));
  const auto is_used = [](const RowSlab& slab, std::uint32_t row) {
    return slab.At(row)->version != RowSlab::kFree;
  };
  for (std::uint32_t row = 0; row < slab_.end(); ++row)
    if (is_used(slab_, row)) slab_.At(row)->version = 0;
  for (std::uint32_t row = 0; row < from.slab_.end(); ++row)
    if (is_used(from.slab_, row)) TakeRow(from, row);
  for (std::uint32_t row = 0; row < slab_.end(); ++row) {
    if (slab_.At(row)->version != 0) continue;
    index_.Erase(RowIndex::Hash(slab_.At(row)->key), row);
    slab_.Give(row);
  }
  version_ = from.version_;
  of_erased_ = from.of_erased_;
  CountIndex();
  return Status::Ok();
}

// --- checkpoints ---

void HashShard::CopyPiece(const std::vector<std::uint32_t>& rows, char* to) const {
  const std::size_t array = rows.size() * MasterBytes();
  for (std::size_t i = 0; i < rows.size(); ++i, to += MasterBytes()) {
    const ElementRun run = RunAt(BehindHeader(slab_.At(rows[i])));
    if (format_.is_staged()) {
      WidenElements(format_.dtype, run.values, reinterpret_cast<float*>(to), width_);
    } else {
      CopyRow(to, run.masters, MasterBytes());
    }
    for (std::size_t k = 0; k < static_cast<std::size_t>(format_.num_states); ++k)
      CopyRow(to + (k + 1) * array, run.states + k * MasterBytes(), MasterBytes());
  }
}

Status HashShard::ForEachPiece(const std::function<Status(const Piece&)>& take) const {
  const std::size_t row_bytes = MasterBytes() * static_cast<std::size_t>(1 + format_.num_states);
  const std::size_t per_piece = std::max<std::size_t>(1, kPieceBytes / row_bytes);
  std::vector<std::uint32_t> rows;
  std::vector<std::uint64_t> keys;
  for (std::uint32_t row = 0; row < slab_.end();) {
    rows.clear();
    keys.clear();
    for (; row < slab_.end() && rows.size() < per_piece; ++row) {
      if (slab_.At(row)->version == RowSlab::kFree) continue;
      rows.push_back(row);
      keys.push_back(slab_.At(row)->key);
    }
    if (rows.empty()) break;
    scratch_.resize(std::max(scratch_.size(), rows.size() * row_bytes));
    CopyPiece(rows, scratch_.data());
    PS_RETURN_IF_ERROR(
        take({RowSet::List(keys.data(), keys.size()), scratch_.data(), rows.size() * row_bytes}));
  }
  return Status::Ok();
}

}  // namespace ps

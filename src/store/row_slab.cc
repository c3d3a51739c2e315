#include "store/row_slab.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace ps {
namespace {

constexpr std::size_t kLine = 64;
// Address space of a chunk; pages come when they are used. A power of two of rows in it, so that chunks of
// short rows are whole huge pages.
constexpr std::size_t kChunkBytes = std::size_t{32} << 20;
// The first chunk grows by doubling and moving until it has so many bytes, so that small tables stay small.
constexpr std::size_t kMostMoved = std::size_t{128} << 10;
constexpr std::size_t kFirstRows = 16;
// Further lines of a long row are left to the processor, which has seen by then where it goes.
constexpr std::size_t kMostLines = 4;

std::size_t Stride(std::size_t row_bytes) { return sizeof(RowSlab::Header) + (row_bytes + 7) / 8 * 8; }

int ChunkBits(std::size_t stride) {
  int bits = 0;
  while (bits < 31 && (stride << (bits + 1)) <= kChunkBytes) ++bits;
  return bits;
}

}  // namespace

RowSlab::RowSlab(std::size_t row_bytes)
    : stride_(Stride(row_bytes)),
      prefetched_bytes_(std::min(stride_, kMostLines * kLine)),
      chunk_bits_(ChunkBits(stride_)),
      chunk_mask_((std::size_t{1} << chunk_bits_) - 1) {}

bool RowSlab::Reserve(std::size_t count) {
  if (count > kMostRows - num_used()) return false;
  const std::size_t chunk_rows = chunk_mask_ + 1;
  while (num_available() < count) {
    if (capacity_ >= chunk_rows) {
      chunks_.reserve(chunks_.size() + 1);
      chunks_.emplace_back(chunk_rows * stride_);
      capacity_ += chunk_rows;
      continue;
    }
    std::size_t rows = std::min(std::max(kFirstRows, 2 * capacity_), chunk_rows);
    if (rows * stride_ > kMostMoved) rows = chunk_rows;
    ZeroedBlock larger(rows * stride_);
    if (chunks_.empty()) {
      chunks_.push_back(std::move(larger));
    } else {
      std::memcpy(larger.data(), chunks_[0].data(), end_ * stride_);
      chunks_[0] = std::move(larger);
    }
    capacity_ = rows;
  }
  return true;
}

std::uint32_t RowSlab::Take(std::uint64_t key) {
  std::uint32_t row = first_free_;
  if (row == kNone) {
    row = static_cast<std::uint32_t>(end_++);
  } else {
    first_free_ = static_cast<std::uint32_t>(At(row)->key);
    --num_free_;
    std::memset(At(row), 0, stride_);
  }
  At(row)->key = key;
  return row;
}

void RowSlab::Give(std::uint32_t row) {
  *At(row) = {first_free_, kFree};
  first_free_ = row;
  ++num_free_;
}

}  // namespace ps

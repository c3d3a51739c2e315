#ifndef PS_STORE_ROW_SLAB_H_
#define PS_STORE_ROW_SLAB_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "store/zeroed_block.h"

namespace ps {

// The rows of a hash shard: numbered places of equal size, each with its key and version in front. A row
// keeps its number as long as it is used; its address may change when memory is reserved, and only then. One
// thread.
class RowSlab {
 public:
  struct Header {
    std::uint64_t key;      // of a free row: the next free one
    std::uint64_t version;  // of the last change; kFree: nobody has the row
  };
  static constexpr std::uint64_t kFree = UINT64_MAX;
  static constexpr std::uint32_t kNone = UINT32_MAX;
  // Rows there can be.
  static constexpr std::uint64_t kMostRows = UINT32_MAX - 1;

  // `row_bytes` behind the header.
  explicit RowSlab(std::size_t row_bytes);

  // Makes sure that `count` rows can be taken. Throws std::bad_alloc; false: more than kMostRows.
  bool Reserve(std::size_t count);
  // Rows that can be taken as it is.
  std::size_t num_available() const { return capacity_ - end_ + num_free_; }
  // A row of zeros behind its header. Needs an available one.
  std::uint32_t Take(std::uint64_t key);
  void Give(std::uint32_t row);

  Header* At(std::uint32_t row) const {
    return reinterpret_cast<Header*>(chunks_[row >> chunk_bits_].data() + (row & chunk_mask_) * stride_);
  }
  // Forced, because gcc takes calls of functions that only prefetch for superfluous.
  __attribute__((always_inline)) void Prefetch(std::uint32_t row) const {
    const char* const begin = reinterpret_cast<const char*>(At(row));
    for (std::size_t at = 0; at < prefetched_bytes_; at += 64) __builtin_prefetch(begin + at, 1);
    __builtin_prefetch(begin + prefetched_bytes_ - 1, 1);
  }

  // Row numbers are below; some of them free.
  std::uint32_t end() const { return static_cast<std::uint32_t>(end_); }
  std::size_t num_used() const { return end_ - num_free_; }
  std::size_t stride() const { return stride_; }  // bytes from row to row

 private:
  const std::size_t stride_;
  const std::size_t prefetched_bytes_;
  const int chunk_bits_;
  const std::size_t chunk_mask_;
  std::size_t capacity_ = 0;  // rows in all chunks
  std::size_t end_ = 0;       // rows from here on were never taken, and are zeros
  std::size_t num_free_ = 0;
  std::uint32_t first_free_ = kNone;
  // Only the first one may be smaller than the others, while it is alone: it grows by moving.
  std::vector<ZeroedBlock> chunks_;
};

// What follows the header.
inline char* BehindHeader(RowSlab::Header* header) { return reinterpret_cast<char*>(header + 1); }

}  // namespace ps
#endif  // PS_STORE_ROW_SLAB_H_

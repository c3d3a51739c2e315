#ifndef PS_STORE_ROW_VERSIONS_H_
#define PS_STORE_ROW_VERSIONS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "store/zeroed_block.h"

namespace ps {

// When each row of a dense shard was changed last: 8 bytes per row, or per group of rows where rows are as
// short as that. 0: never. A change of all rows costs nothing but a number. One thread.
class RowVersions {
 public:
  // A version stands for 2^`group_bits` rows. Throws std::bad_alloc.
  RowVersions(std::size_t num_rows, int group_bits)
      : num_rows_(num_rows), group_bits_(group_bits), block_(BytesFor(num_rows, group_bits)) {}

  static std::size_t BytesFor(std::size_t num_rows, int group_bits) {
    return ((num_rows >> group_bits) + 1) * sizeof(std::uint64_t);
  }

  // Of the row's group.
  std::uint64_t Of(std::size_t row) const { return std::max(of_all_, versions()[row >> group_bits_]); }
  void Set(std::size_t row, std::uint64_t version) { versions()[row >> group_bits_] = version; }
  void SetRange(std::size_t begin, std::size_t count, std::uint64_t version);
  // Of as many rows.
  void CopyFrom(const RowVersions& other);
  void Prefetch(std::size_t row) const { __builtin_prefetch(versions() + (row >> group_bits_), 1); }

  // The end of the rows from `begin` on, within [begin, end), that are all above `since`, or all not.
  std::size_t EndOfSame(std::size_t begin, std::size_t end, std::uint64_t since) const;

  std::size_t bytes() const { return block_.bytes(); }

 private:
  std::uint64_t* versions() const { return reinterpret_cast<std::uint64_t*>(block_.data()); }

  const std::size_t num_rows_;
  const int group_bits_;
  std::uint64_t of_all_ = 0;  // of the last change of all rows
  ZeroedBlock block_;
};

}  // namespace ps
#endif  // PS_STORE_ROW_VERSIONS_H_

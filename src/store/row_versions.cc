#include "store/row_versions.h"

#include "store/zeroed_block.h"

namespace ps {

void RowVersions::SetRange(std::size_t begin, std::size_t count, std::uint64_t version) {
  if (count == 0) return;
  if (count == num_rows_) {
    of_all_ = version;
    return;
  }
  std::uint64_t* const of = versions();
  std::fill(of + (begin >> group_bits_), of + ((begin + count - 1) >> group_bits_) + 1, version);
}

void RowVersions::CopyFrom(const RowVersions& other) {
  of_all_ = other.of_all_;
  CopyWhereDifferent(block_.data(), other.block_.data(), block_.bytes());
}

std::size_t RowVersions::EndOfSame(std::size_t begin, std::size_t end, std::uint64_t since) const {
  if (of_all_ > since) return end;
  const bool is_above = Of(begin) > since;
  std::size_t row = begin;
  while (row < end && (Of(row) > since) == is_above) row = ((row >> group_bits_) + 1) << group_bits_;
  return std::min(row, end);
}

}  // namespace ps

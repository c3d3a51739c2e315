#ifndef PS_STORE_UNFILLED_BLOCKS_H_
#define PS_STORE_UNFILLED_BLOCKS_H_

#include <algorithm>
#include <cstddef>
#include <vector>

namespace ps {

// Which blocks of a dense shard's rows do not have their initial values yet. A large table is made without
// touching its memory; whoever is about to use rows has their blocks filled first. One thread.
class UnfilledBlocks {
 public:
  UnfilledBlocks() = default;  // none
  UnfilledBlocks(std::size_t num_rows, std::size_t rows_per_block)
      : num_rows_(num_rows),
        rows_per_block_(rows_per_block),
        left_((num_rows + rows_per_block - 1) / rows_per_block),
        is_unfilled_(left_, true) {}

  bool none() const { return left_ == 0; }

  // Calls `fill(begin, count)` for each such block that has one of the rows; it is filled then.
  template <typename Fill>
  void Take(std::size_t begin, std::size_t count, Fill fill) {
    if (none() || count == 0) return;
    const std::size_t last = (begin + count - 1) / rows_per_block_;
    for (std::size_t block = begin / rows_per_block_; block <= last; ++block) {
      if (!is_unfilled_[block]) continue;
      is_unfilled_[block] = false;
      --left_;
      const std::size_t first = block * rows_per_block_;
      fill(first, std::min(rows_per_block_, num_rows_ - first));
    }
  }

 private:
  std::size_t num_rows_ = 0;
  std::size_t rows_per_block_ = 1;
  std::size_t left_ = 0;
  std::vector<bool> is_unfilled_;
};

}  // namespace ps
#endif  // PS_STORE_UNFILLED_BLOCKS_H_

#ifndef PS_STORE_ROW_SLOTS_H_
#define PS_STORE_ROW_SLOTS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "store/mix64.h"
#include "store/row_set.h"

namespace ps {

// Numbers rows in the order in which they come first: 0, 1, 2, ... A table of open addressing that is made to
// be emptied and filled again: both cost what was in it, and memory is kept. One thread.
class RowSlots {
 public:
  RowSlots() : table_(kFirstPlaces, 0) {}

  // Room for so many rows in all. Throws std::bad_alloc, and nothing has changed.
  void Reserve(std::size_t num_rows);
  // The numbers of the rows [first, first + count) of a set, new ones included. There must be room.
  void FindOrAdd(const RowSet& rows, std::size_t first, std::size_t count, std::uint32_t* slots);
  // Those that have numbers, in their order.
  const std::vector<std::uint64_t>& rows() const { return rows_; }
  void Clear();
  // What room for so many rows takes.
  static std::size_t BytesFor(std::size_t num_rows);

 private:
  static constexpr std::size_t kFirstPlaces = 64;

  std::size_t Home(std::uint64_t row) const { return Mix64(row + 1) & (table_.size() - 1); }
  std::uint32_t FindOrAddOne(std::uint64_t row);

  std::vector<std::uint32_t> table_;  // slot + 1; 0: empty. A power of two, at most half full
  std::vector<std::uint64_t> rows_;
};

}  // namespace ps
#endif  // PS_STORE_ROW_SLOTS_H_

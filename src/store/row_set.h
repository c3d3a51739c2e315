#ifndef PS_STORE_ROW_SET_H_
#define PS_STORE_ROW_SET_H_

#include <cstddef>
#include <cstdint>

namespace ps {

// Rows of a shard, as an operation names them: a list of row ids (dense) or keys (hash), in any order, equal
// ones included; or, of a dense table, all from `begin` on. Borrows the list.
struct RowSet {
  const std::uint64_t* keys = nullptr;  // null: the range
  std::uint64_t begin = 0;
  std::size_t count = 0;

  static RowSet Range(std::uint64_t begin, std::size_t count) { return {nullptr, begin, count}; }
  static RowSet List(const std::uint64_t* keys, std::size_t count) { return {keys, 0, count}; }
  bool is_range() const { return keys == nullptr; }
  std::uint64_t operator[](std::size_t i) const { return is_range() ? begin + i : keys[i]; }
};

// Calls `take(row, count, place)` for the rows in order, those that follow each other together: `count` rows
// from `row` on, the first of which is the set's `place`-th.
template <typename Take>
void ForEachRun(const RowSet& rows, Take take) {
  if (rows.is_range()) {
    if (rows.count != 0) take(rows.begin, rows.count, std::size_t{0});
    return;
  }
  for (std::size_t place = 0; place < rows.count;) {
    std::size_t end = place + 1;
    while (end < rows.count && rows.keys[end] == rows.keys[end - 1] + 1) ++end;
    take(rows.keys[place], end - place, place);
    place = end;
  }
}

}  // namespace ps
#endif  // PS_STORE_ROW_SET_H_

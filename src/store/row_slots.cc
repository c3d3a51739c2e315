#include "store/row_slots.h"

#include <algorithm>

namespace ps {

std::uint32_t RowSlots::FindOrAddOne(std::uint64_t row) {
  std::size_t at = Home(row);
  while (table_[at] != 0) {
    if (rows_[table_[at] - 1] == row) return table_[at] - 1;
    at = (at + 1) & (table_.size() - 1);
  }
  rows_.push_back(row);
  table_[at] = static_cast<std::uint32_t>(rows_.size());
  return table_[at] - 1;
}

void RowSlots::FindOrAdd(const RowSet& rows, std::size_t first, std::size_t count, std::uint32_t* slots) {
  for (std::size_t i = 0; i < count; ++i) __builtin_prefetch(&table_[Home(rows[first + i])]);
  for (std::size_t i = 0; i < count; ++i) slots[i] = FindOrAddOne(rows[first + i]);
}

void RowSlots::Reserve(std::size_t num_rows) {
  rows_.reserve(num_rows);
  std::size_t size = table_.size();
  while (size < 2 * num_rows) size *= 2;
  if (size == table_.size()) return;
  table_ = std::vector<std::uint32_t>(size, 0);
  for (std::size_t slot = 0; slot < rows_.size(); ++slot) {
    std::size_t at = Home(rows_[slot]);
    while (table_[at] != 0) at = (at + 1) & (table_.size() - 1);
    table_[at] = static_cast<std::uint32_t>(slot + 1);
  }
}

void RowSlots::Clear() {
  if (rows_.size() * 8 > table_.size()) {
    std::fill(table_.begin(), table_.end(), 0);
  } else {
    // In the order in which they were put there, the last one first, each is the end of its chain.
    for (std::size_t slot = rows_.size(); slot-- > 0;) {
      std::size_t at = Home(rows_[slot]);
      while (table_[at] != slot + 1) at = (at + 1) & (table_.size() - 1);
      table_[at] = 0;
    }
  }
  rows_.clear();
}

std::size_t RowSlots::BytesFor(std::size_t num_rows) {
  return num_rows * (sizeof(std::uint64_t) + 4 * sizeof(std::uint32_t));
}

}  // namespace ps

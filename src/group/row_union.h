#ifndef PS_GROUP_ROW_UNION_H_
#define PS_GROUP_ROW_UNION_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ps {

// Row ids: ascending, each once. Borrowed.
struct RowIds {
  const std::int64_t* ids = nullptr;
  std::size_t count = 0;
};

// Writes every row that one of the sources has, ascending and once, to `to`, which has room for all of them
// together; how many there are.
std::size_t UniteRows(const std::vector<RowIds>& sources, std::int64_t* to);
// Writes of each of `rows` its place among `united`, where all of them are.
void PlaceRows(const RowIds& rows, const RowIds& united, std::int64_t* to);
// Of `rows` those from `first` to `last`, both among them or not.
RowIds RowsBetween(const RowIds& rows, std::int64_t first, std::int64_t last);

}  // namespace ps

#endif  // PS_GROUP_ROW_UNION_H_

#ifndef PS_GROUP_ROW_UNION_H_
#define PS_GROUP_ROW_UNION_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ps {

// Row ids of one source: ascending, each once.
struct RowIds {
  const std::int64_t* ids = nullptr;
  std::size_t count = 0;
};

// The rows of several sources together.
struct RowUnion {
  std::vector<std::int64_t> ids;  // ascending, each once
  // Of each source and each of its rows: its place among `ids`. Ascending.
  std::vector<std::vector<std::int64_t>> places;
};
RowUnion UniteRows(const std::vector<RowIds>& sources);

}  // namespace ps

#endif  // PS_GROUP_ROW_UNION_H_

#include "group/row_union.h"

#include <algorithm>

namespace ps {
namespace {

// A source, and how far it was taken.
struct Cursor {
  const std::int64_t* next;
  const std::int64_t* end;
};

// Devices mostly have the same rows, if they have many.
bool AreSame(const std::vector<RowIds>& sources) {
  return std::all_of(sources.begin(), sources.end(), [&](const RowIds& rows) {
    return std::equal(rows.ids, rows.ids + rows.count, sources[0].ids, sources[0].ids + sources[0].count);
  });
}

}  // namespace

std::size_t UniteRows(const std::vector<RowIds>& sources, std::int64_t* to) {
  if (sources.empty()) return 0;
  if (AreSame(sources)) {
    std::copy(sources[0].ids, sources[0].ids + sources[0].count, to);
    return sources[0].count;
  }
  std::vector<Cursor> cursors;
  for (const RowIds& rows : sources) cursors.push_back({rows.ids, rows.ids + rows.count});
  std::size_t count = 0;
  for (;;) {
    const auto is_done = [](const Cursor& cursor) { return cursor.next == cursor.end; };
    cursors.erase(std::remove_if(cursors.begin(), cursors.end(), is_done), cursors.end());
    if (cursors.empty()) return count;
    std::int64_t least = *cursors[0].next;
    for (const Cursor& cursor : cursors) least = std::min(least, *cursor.next);
    for (Cursor& cursor : cursors) cursor.next += *cursor.next == least ? 1 : 0;
    to[count++] = least;
  }
}

void PlaceRows(const RowIds& rows, const RowIds& united, std::int64_t* to) {
  std::size_t place = 0;
  for (std::size_t i = 0; i < rows.count; ++i) {
    while (united.ids[place] != rows.ids[i]) ++place;
    to[i] = static_cast<std::int64_t>(place);
  }
}

RowIds RowsBetween(const RowIds& rows, std::int64_t first, std::int64_t last) {
  const std::int64_t* const end = rows.ids + rows.count;
  const std::int64_t* const from = std::lower_bound(rows.ids, end, first);
  return {from, static_cast<std::size_t>(std::upper_bound(from, end, last) - from)};
}

}  // namespace ps

#include "group/row_union.h"

#include <algorithm>
#include <iterator>

namespace ps {
namespace {

std::vector<std::int64_t> PlacesOf(const RowIds& rows, const std::vector<std::int64_t>& among) {
  std::vector<std::int64_t> places(rows.count);
  std::size_t place = 0;
  for (std::size_t i = 0; i < rows.count; ++i) {
    while (among[place] != rows.ids[i]) ++place;
    places[i] = static_cast<std::int64_t>(place);
  }
  return places;
}

}  // namespace

RowUnion UniteRows(const std::vector<RowIds>& sources) {
  RowUnion united;
  std::vector<std::int64_t> more;
  for (const RowIds& rows : sources) {
    more.clear();
    more.reserve(united.ids.size() + rows.count);
    std::set_union(united.ids.begin(), united.ids.end(), rows.ids, rows.ids + rows.count,
                   std::back_inserter(more));
    united.ids.swap(more);
  }
  for (const RowIds& rows : sources) united.places.push_back(PlacesOf(rows, united.ids));
  return united;
}

}  // namespace ps

// What works on arrays from outside: search and text. Included by ps/sarray.h.
#ifndef PS_INTERNAL_SARRAY_FUNCTIONS_H_
#define PS_INTERNAL_SARRAY_FUNCTIONS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <sstream>
#include <string>

#include "ps/range.h"
#include "ps/sarray.h"

namespace ps {

// "[3]: 1 2 3 "; from 2 * m elements on only the first and the last m.
template <typename V>
std::string DebugStr(const V* data, std::size_t n, std::size_t m = 5) {
  std::ostringstream out;
  out << "[" << n << "]: ";
  const bool cut = n >= 2 * m;
  for (std::size_t i = 0; i < (cut ? m : n); ++i) out << data[i] << " ";
  if (cut) out << "... ";
  for (std::size_t i = cut ? n - m : n; i < n; ++i) out << data[i] << " ";
  return out.str();
}

// The indices of the elements in [lower, upper) of an array in ascending order; (0, 0) when upper
// is not above lower.
template <typename V>
Range FindRange(const SArray<V>& arr, V lower, V upper) {
  if (upper <= lower) return Range(0, 0);
  const V* first = std::lower_bound(arr.begin(), arr.end(), lower);
  const V* last = std::lower_bound(first, arr.end(), upper);
  return Range(static_cast<std::uint64_t>(first - arr.begin()),
               static_cast<std::uint64_t>(last - arr.begin()));
}

template <typename V>
std::ostream& operator<<(std::ostream& out, const SArray<V>& array) {
  return out << DebugStr(array.data(), array.size());
}

}  // namespace ps

#endif  // PS_INTERNAL_SARRAY_FUNCTIONS_H_

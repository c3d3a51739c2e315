#include "postoffice/key_ranges.h"

#include "ps/base.h"

namespace ps {

std::vector<Range> ServerKeyRanges(int num_servers) {
  std::vector<Range> ranges;
  if (num_servers <= 0) return ranges;
  const uint64_t width = kMaxKey / static_cast<uint64_t>(num_servers);
  for (int i = 0; i < num_servers; ++i) {
    const uint64_t begin = width * static_cast<uint64_t>(i);
    ranges.emplace_back(begin, i + 1 == num_servers ? kMaxKey : begin + width);
  }
  return ranges;
}

}  // namespace ps

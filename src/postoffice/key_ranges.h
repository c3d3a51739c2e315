#ifndef PS_POSTOFFICE_KEY_RANGES_H_
#define PS_POSTOFFICE_KEY_RANGES_H_

#include <vector>

#include "ps/range.h"

namespace ps {

// One range per server, in order of rank: with w = kMaxKey / n, server i begins at w * i and ends at w * (i +
// 1); the last one ends at kMaxKey and contains it, so that every key has exactly one server. Programs turn
// keys into ranks by these begins.
std::vector<Range> ServerKeyRanges(int num_servers);

}  // namespace ps
#endif  // PS_POSTOFFICE_KEY_RANGES_H_

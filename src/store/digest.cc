#include "store/digest.h"

#include <xxhash.h>

namespace ps {

std::uint64_t DigestOf(const void* data, std::size_t size) { return XXH3_64bits(data, size); }

}  // namespace ps

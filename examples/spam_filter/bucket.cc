#include "examples/spam_filter/bucket.h"

namespace spam {

static_assert(kNumBuckets == 1u << (64 - kKeyShift), "keys must spread over the whole range");

uint64_t HashText(std::string_view text) {
  uint64_t hash = 14695981039346656037u;
  for (unsigned char c : text) hash = (hash ^ c) * 1099511628211u;
  hash = (hash ^ (hash >> 33)) * 0xff51afd7ed558ccdu;
  hash = (hash ^ (hash >> 33)) * 0xc4ceb9fe1a85ec53u;
  return hash ^ (hash >> 33);
}

uint32_t BucketOf(std::string_view word) {
  return 1 + static_cast<uint32_t>(HashText(word) % (kNumBuckets - 1));
}

}  // namespace spam

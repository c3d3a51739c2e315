#ifndef PS_EXAMPLES_SPAM_FILTER_BUCKET_H_
#define PS_EXAMPLES_SPAM_FILTER_BUCKET_H_

#include <cstdint>
#include <string_view>

namespace spam {

// A word is known by its bucket only: a model of fixed size needs no dictionary, and workers agree without
// talking ("hashing trick", Weinberger et al. 2009). Two words in one bucket share a weight.
inline constexpr uint32_t kNumBuckets = 1u << 20;

// Bucket 0 holds no word: it is the constant feature of every mail (the bias).
inline constexpr uint32_t kBiasBucket = 0;

// 64 well-mixed bits of the text: FNV-1a, then a finalizer, because FNV alone leaves the high bits poor.
uint64_t HashText(std::string_view text);

// The bucket of a word, in [1, kNumBuckets).
uint32_t BucketOf(std::string_view word);

// Buckets as parameter keys. The server of a key is found by its place in the whole 64-bit range, so small
// integers would all fall to server 0; spread out, the buckets load all servers alike. Keeps the order.
inline constexpr int kKeyShift = 64 - 20;
inline uint64_t KeyOfBucket(uint32_t bucket) { return static_cast<uint64_t>(bucket) << kKeyShift; }

}  // namespace spam

#endif  // PS_EXAMPLES_SPAM_FILTER_BUCKET_H_

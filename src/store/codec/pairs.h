// The body of codecs that send some of the elements: first all indices, rising, then their values.
#ifndef PS_STORE_CODEC_PAIRS_H_
#define PS_STORE_CODEC_PAIRS_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "ps/dtype.h"
#include "ps/status.h"

namespace ps {

// Bytes of an index among `count` elements: 4, or 8 where that is not enough. Both sides know it from the
// count.
constexpr std::size_t IndexBytes(std::size_t count) { return count >> 32 == 0 ? 4 : 8; }

// Writes so many pairs one after the other. T: of the values.
template <typename T>
class PairWriter {
 public:
  PairWriter(std::size_t count, std::size_t num_pairs, char* to)
      : index_bytes_(IndexBytes(count)), index_(to), value_(to + num_pairs * index_bytes_) {}

  void Add(std::uint64_t index, T value) {
    std::memcpy(index_, &index, index_bytes_ == 4 ? 4 : 8);
    std::memcpy(value_, &value, sizeof(value));
    index_ += index_bytes_;
    value_ += sizeof(value);
  }

 private:
  const std::size_t index_bytes_;
  char* index_;
  char* value_;
};

// Zeros and the pairs into `count` elements. kInvalidArgument: these bytes are no pairs of so many.
Status ReadPairs(const char* body, std::size_t bytes, DType dtype, std::size_t count, void* values);

}  // namespace ps
#endif  // PS_STORE_CODEC_PAIRS_H_

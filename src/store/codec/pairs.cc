#include "store/codec/pairs.h"

#include <string>

namespace ps {
namespace {

template <std::size_t kValueBytes, std::size_t kIndexBytes>
bool Place(const char* body, std::size_t num_pairs, std::size_t count, char* values) {
  const char* const from = body + num_pairs * kIndexBytes;
  std::uint64_t next = 0;  // the lowest index that may come
  for (std::size_t i = 0; i < num_pairs; ++i) {
    std::uint64_t index = 0;
    std::memcpy(&index, body + i * kIndexBytes, kIndexBytes);
    if (index < next || index >= count) return false;
    std::memcpy(values + index * kValueBytes, from + i * kValueBytes, kValueBytes);
    next = index + 1;
  }
  return true;
}

template <std::size_t kValueBytes>
bool PlaceAny(const char* body, std::size_t num_pairs, std::size_t count, char* values) {
  return IndexBytes(count) == 4 ? Place<kValueBytes, 4>(body, num_pairs, count, values)
                                : Place<kValueBytes, 8>(body, num_pairs, count, values);
}

}  // namespace

Status ReadPairs(const char* body, std::size_t bytes, DType dtype, std::size_t count, void* values) {
  const std::size_t value_bytes = SizeOf(dtype);
  const std::size_t pair_bytes = IndexBytes(count) + value_bytes;
  const std::size_t num_pairs = bytes / pair_bytes;
  if (num_pairs * pair_bytes != bytes || num_pairs > count) {
    return Status::InvalidArgument(std::to_string(bytes) + " bytes are no pairs of " +
                                   std::to_string(pair_bytes) + " for " + std::to_string(count) +
                                   " elements");
  }
  char* const to = static_cast<char*>(values);
  if (count != 0) std::memset(to, 0, count * value_bytes);
  const bool placed = value_bytes == 1   ? PlaceAny<1>(body, num_pairs, count, to)
                      : value_bytes == 2 ? PlaceAny<2>(body, num_pairs, count, to)
                      : value_bytes == 4 ? PlaceAny<4>(body, num_pairs, count, to)
                                         : PlaceAny<8>(body, num_pairs, count, to);
  if (placed) return Status::Ok();
  return Status::InvalidArgument("indices of encoded values do not rise, or are beyond " +
                                 std::to_string(count) + " elements");
}

}  // namespace ps

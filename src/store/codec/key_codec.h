#ifndef PS_STORE_CODEC_KEY_CODEC_H_
#define PS_STORE_CODEC_KEY_CODEC_H_

#include <cstddef>
#include <cstdint>

#include "ps/status.h"

namespace ps {

// Lists of keys (or row ids), in any order, equal ones included. A list that does not fall travels as the
// differences of its keys, 7 bits a byte with the lowest first, if that is shorter; any other as it is. The
// first byte says which. About a byte per key where keys are dense, against 8. Thread-safe.
class KeyCodec {
 public:
  static std::size_t MaxBytes(std::size_t count) { return 1 + count * sizeof(std::uint64_t); }
  // Writes to `to` (MaxBytes of room); the number of bytes.
  static std::size_t Encode(const std::uint64_t* keys, std::size_t count, char* to);
  // kInvalidArgument when the bytes are not exactly `count` keys; any bytes may come. `keys` has room for
  // them, and is undefined after an error.
  static Status Decode(const char* bytes, std::size_t size, std::size_t count, std::uint64_t* keys);
};

}  // namespace ps
#endif  // PS_STORE_CODEC_KEY_CODEC_H_

#include "store/codec/key_codec.h"

#include <algorithm>
#include <cstring>
#include <string>

namespace ps {
namespace {

enum Form : char { kRaw = 0, kDifferences = 1 };

constexpr std::size_t kMostVarint = 10;
constexpr std::uint64_t kMore = 0x8080808080808080ULL;  // the bit that says that more bytes follow, of eight

char* WriteVarint(std::uint64_t value, char* to) {
  for (; value >= 0x80; value >>= 7) *to++ = static_cast<char>(value | 0x80);
  *to++ = static_cast<char>(value);
  return to;
}

// Null: it does not end, or has more than 64 bits.
const char* ReadVarint(const char* from, const char* end, std::uint64_t* value) {
  *value = 0;
  for (int shift = 0; shift < 64 && from != end; shift += 7) {
    const auto byte = static_cast<std::uint8_t>(*from++);
    if (shift == 63 && byte > 1) return nullptr;
    *value |= std::uint64_t{byte & 0x7fU} << shift;
    if (byte < 0x80) return from;
  }
  return nullptr;
}

// The end of what was written, or null: it would be longer than the keys as they are, or they fall.
char* WriteDifferences(const std::uint64_t* keys, std::size_t count, char* to) {
  const char* const end = to + count * sizeof(std::uint64_t);
  std::uint64_t before = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (keys[i] < before) return nullptr;
    if (static_cast<std::size_t>(end - to) < kMostVarint) {
      char last[kMostVarint];
      const auto bytes = static_cast<std::size_t>(WriteVarint(keys[i] - before, last) - last);
      if (static_cast<std::size_t>(end - to) < bytes) return nullptr;
      std::memcpy(to, last, bytes);
      to += bytes;
    } else {
      to = WriteVarint(keys[i] - before, to);
    }
    before = keys[i];
  }
  return to;
}

Status Wrong(std::size_t size, std::size_t count) {
  return Status::InvalidArgument(std::to_string(size) + " bytes are not " + std::to_string(count) +
                                 " encoded keys");
}

// Whether these bytes are exactly `count` differences whose sums do not overflow.
bool ReadDifferences(const char* from, const char* end, std::size_t count, std::uint64_t* keys) {
  std::uint64_t key = 0;
  for (std::size_t i = 0; i < count;) {
    std::uint64_t eight = kMore;
    if (end - from >= 8 && count - i >= 8) std::memcpy(&eight, from, sizeof(eight));
    if ((eight & kMore) == 0 && key < UINT64_MAX / 2) {
      for (int j = 0; j < 8; ++j) keys[i++] = key += static_cast<std::uint8_t>(*from++);
      continue;
    }
    std::uint64_t difference;
    from = ReadVarint(from, end, &difference);
    if (from == nullptr || __builtin_add_overflow(key, difference, &key)) return false;
    keys[i++] = key;
  }
  return from == end;
}

}  // namespace

std::size_t KeyCodec::Encode(const std::uint64_t* keys, std::size_t count, char* to) {
  const char* const end = WriteDifferences(keys, count, to + 1);
  if (end != nullptr) {
    to[0] = kDifferences;
    return static_cast<std::size_t>(end - to);
  }
  to[0] = kRaw;
  std::memcpy(to + 1, keys, count * sizeof(keys[0]));
  return MaxBytes(count);
}

Status KeyCodec::Decode(const char* bytes, std::size_t size, std::size_t count, std::uint64_t* keys) {
  if (size == 0 || (bytes[0] != kRaw && bytes[0] != kDifferences)) return Wrong(size, count);
  if (bytes[0] == kRaw) {
    if (size != MaxBytes(count)) return Wrong(size, count);
    if (count != 0) std::memcpy(keys, bytes + 1, size - 1);
    return Status::Ok();
  }
  return ReadDifferences(bytes + 1, bytes + size, count, keys) ? Status::Ok() : Wrong(size, count);
}

}  // namespace ps

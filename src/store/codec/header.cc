#include "store/codec/header.h"

#include <cstring>
#include <string>

namespace ps {
namespace {

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "values travel as they lie in memory");

constexpr std::size_t kCountAt = 8;
constexpr std::size_t kParameterAt = 16;

Status Different(const char* what, std::uint64_t found, std::uint64_t expected) {
  return Status::InvalidArgument("encoded values have " + std::string(what) + " " + std::to_string(found) +
                                 ", this table's codec has " + std::to_string(expected));
}

}  // namespace

void CodecHeader::Write(char* to) const {
  std::memset(to, 0, kBytes);
  to[0] = static_cast<char>(id);
  to[1] = static_cast<char>(kVersion);
  to[2] = static_cast<char>(dtype);
  to[3] = static_cast<char>(form);
  std::memcpy(to + kCountAt, &count, sizeof(count));
  std::memcpy(to + kParameterAt, &parameter, sizeof(parameter));
}

Result<std::uint8_t> CodecHeader::Check(const char* bytes, std::size_t size) const {
  if (size < kBytes)
    return Status::InvalidArgument("encoded values of " + std::to_string(size) + " bytes have no header");
  char expected[kBytes];
  Write(expected);
  constexpr const char* kNames[] = {"codec id", "version", "dtype"};
  for (std::size_t i = 0; i < 3; ++i) {
    if (bytes[i] != expected[i])
      return Different(kNames[i], static_cast<std::uint8_t>(bytes[i]),
                       static_cast<std::uint8_t>(expected[i]));
  }
  std::uint64_t found;
  std::memcpy(&found, bytes + kCountAt, sizeof(found));
  if (found != count) return Different("count", found, count);
  if (std::memcmp(bytes + 4, expected + 4, kBytes - 4) != 0)
    return Status::InvalidArgument("encoded values have another parameter than this table's codec");
  return static_cast<std::uint8_t>(bytes[3]);
}

Status CheckBody(std::size_t size, std::size_t body_bytes) {
  if (size - CodecHeader::kBytes == body_bytes) return Status::Ok();
  return Status::InvalidArgument("encoded values of " + std::to_string(size) + " bytes should have " +
                                 std::to_string(CodecHeader::kBytes + body_bytes));
}

}  // namespace ps

#include "transport/shm/hello.h"

#include <string>

namespace ps {
namespace {

constexpr uint64_t kMagic = 0x676e697272617663;  // "cvarring"
constexpr uint32_t kVersion = 2;
constexpr uint32_t kFlagReply = 1;

char* PutWord(uint64_t value, size_t size, char* to) {
  for (size_t i = 0; i < size; ++i) to[i] = static_cast<char>(value >> (8 * i));
  return to + size;
}

uint64_t TakeWord(const char** from, size_t size) {
  uint64_t value = 0;
  for (size_t i = 0; i < size; ++i) value |= uint64_t{static_cast<unsigned char>((*from)[i])} << (8 * i);
  *from += size;
  return value;
}

}  // namespace

HelloBytes EncodeHello(const Hello& hello) {
  HelloBytes bytes{};
  char* at = PutWord(kMagic, 8, bytes.data());
  at = PutWord(kVersion, 4, at);
  at = PutWord(hello.is_reply ? kFlagReply : 0, 4, at);
  at = PutWord(hello.writer, 8, at);
  at = PutWord(hello.reader, 8, at);
  PutWord(hello.capacity, 8, at);
  return bytes;
}

Result<Hello> DecodeHello(const char* bytes, size_t size) {
  if (size != kHelloBytes) return Status::InvalidArgument("a hello of " + std::to_string(size) + " bytes");
  if (TakeWord(&bytes, 8) != kMagic) return Status::InvalidArgument("no hello");
  const uint64_t version = TakeWord(&bytes, 4);
  if (version != kVersion) return Status::InvalidArgument("a hello of version " + std::to_string(version));
  const uint64_t flags = TakeWord(&bytes, 4);
  if ((flags & ~uint64_t{kFlagReply}) != 0) return Status::InvalidArgument("a hello with unknown flags");
  Hello hello;
  hello.is_reply = flags != 0;
  hello.writer = TakeWord(&bytes, 8);
  hello.reader = TakeWord(&bytes, 8);
  hello.capacity = TakeWord(&bytes, 8);
  return hello;
}

}  // namespace ps

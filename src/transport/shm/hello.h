#ifndef PS_TRANSPORT_SHM_HELLO_H_
#define PS_TRANSPORT_SHM_HELLO_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "ps/status.h"

namespace ps {

// What a writer says when it hands a ring over.
struct Hello {
  uint64_t writer = 0;    // incarnations; the writer's is how it can be answered
  uint64_t reader = 0;    // whom it is meant for
  uint64_t capacity = 0;  // of the ring
  bool is_reply = false;  // the ring carries answers to frames of the reader's, which asked without a link
};

constexpr size_t kHelloBytes = 40;
using HelloBytes = std::array<char, kHelloBytes>;

// Little-endian, with a magic word and a version in front.
HelloBytes EncodeHello(const Hello& hello);
// Errors: kInvalidArgument for another size, another magic word or version, unknown flags.
Result<Hello> DecodeHello(const char* bytes, size_t size);

}  // namespace ps
#endif  // PS_TRANSPORT_SHM_HELLO_H_

#include "van/payload.h"

#include <cstring>

namespace ps {

SArray<char> PayloadOf(const Frame& frame) {
  SArray<char> bytes = SArray<char>::Uninitialized(frame.payload_bytes());
  char* to = bytes.data();
  for (const SArray<char>& part : frame.parts) {
    if (part.empty()) continue;
    std::memcpy(to, part.data(), part.size());
    to += part.size();
  }
  return bytes;
}

}  // namespace ps

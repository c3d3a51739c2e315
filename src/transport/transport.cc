#include "transport/transport.h"

namespace ps {

size_t Frame::payload_bytes() const {
  size_t total = 0;
  for (const SArray<char>& part : parts) total += part.size();
  return total;
}

Frame Frame::DeepCopy() const {
  Frame copy;
  copy.head = head;
  for (size_t i = 0; i < parts.size(); ++i) {
    // Fresh arrays: CopyFrom never writes into memory that somebody shares.
    if (!parts[i].empty()) copy.parts[i].CopyFrom(parts[i].data(), parts[i].size());
  }
  return copy;
}

}  // namespace ps

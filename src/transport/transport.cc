#include "transport/transport.h"

#include <cstring>

namespace ps {

Frame Frame::DeepCopy() const {
  Frame copy;
  copy.head = head;
  for (size_t i = 0; i < parts.size(); ++i) {
    // Fresh arrays: CopyFrom never writes into memory that somebody shares.
    if (!parts[i].empty()) copy.parts[i].CopyFrom(parts[i].data(), parts[i].size());
  }
  return copy;
}

ReturnPath NumberedPath(char mark, uint64_t number) {
  ReturnPath path(1 + sizeof(number), mark);
  std::memcpy(&path[1], &number, sizeof(number));
  return path;
}

uint64_t NumberOfPath(char mark, const ReturnPath& path) {
  uint64_t number = 0;
  if (path.size() == 1 + sizeof(number) && path[0] == mark) std::memcpy(&number, &path[1], sizeof(number));
  return number;
}

}  // namespace ps

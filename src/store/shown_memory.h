#ifndef PS_STORE_SHOWN_MEMORY_H_
#define PS_STORE_SHOWN_MEMORY_H_

#include <cstddef>

#include "ps/alloc.h"
#include "ps/sarray.h"

namespace ps {

// From so many bytes on it is worth it to put values where the other end of a message can read them.
constexpr std::size_t kShownBytes = 64 << 10;

// Memory without a value for what is about to be sent: large, it is shown to nodes of this machine, and not
// copied on the way. Throws std::bad_alloc.
inline SArray<char> ShownMemory(std::size_t bytes) {
  return bytes >= kShownBytes ? Alloc<char>(bytes) : SArray<char>::Uninitialized(bytes);
}

}  // namespace ps
#endif  // PS_STORE_SHOWN_MEMORY_H_

// Copies of large pieces of memory, whose speed is that of the library. What the C library does with them
// depends on its version and on addresses: between places that differ by 1 to 16 bytes modulo 4096 some copy
// 15 times slower, and lines that another processor has just written are fetched at a quarter of the speed.
#ifndef PS_BASE_COPY_H_
#define PS_BASE_COPY_H_

#include <cstddef>
#include <cstring>

namespace ps {

// From so many bytes on the own loops are used (if the processor has AVX2).
constexpr size_t kOwnCopyBytes = 2048;

namespace internal {

void CopyLarge(void* to, const void* from, size_t bytes);
void CopyLargeFromPeer(void* to, const void* from, size_t bytes);
void CopyLargeToPeer(void* to, const void* from, size_t bytes);
void CopyPastCaches(void* to, const void* from, size_t bytes);

}  // namespace internal

// memcpy: the areas do not overlap; nothing is touched where `bytes` is 0.
inline void CopyBytes(void* to, const void* from, size_t bytes) {
  if (bytes >= kOwnCopyBytes) {
    internal::CopyLarge(to, from, bytes);
  } else if (bytes != 0) {
    std::memcpy(to, from, bytes);
  }
}

// The same for what another processor has written just now: from several places at a time, so that more of
// its lines are on their way.
inline void CopyFromPeer(void* to, const void* from, size_t bytes) {
  if (bytes >= kOwnCopyBytes) {
    internal::CopyLargeFromPeer(to, from, bytes);
  } else if (bytes != 0) {
    std::memcpy(to, from, bytes);
  }
}

// The same into memory that another processor has read just now, and is to read again: by the processor's own
// way to copy, which does not fetch lines before it overwrites them whole.
inline void CopyToPeer(void* to, const void* from, size_t bytes) {
  if (bytes >= kOwnCopyBytes) {
    internal::CopyLargeToPeer(to, from, bytes);
  } else if (bytes != 0) {
    std::memcpy(to, from, bytes);
  }
}

// The same into memory that nobody reads soon. What is larger than the processor's last cache goes past it;
// everything else is copied as above, because going past the caches costs twice as much where they would
// have held it.
void CopyToRest(void* to, const void* from, size_t bytes);

}  // namespace ps
#endif  // PS_BASE_COPY_H_

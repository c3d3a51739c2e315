// Alloc: arrays in memory that other processes of this machine may be shown.
#ifndef PS_ALLOC_H_
#define PS_ALLOC_H_

#include <cstddef>
#include <limits>
#include <memory>
#include <new>
#include <type_traits>

#include "ps/sarray.h"

namespace ps {

namespace internal {

// At least one byte. Throws std::bad_alloc.
std::shared_ptr<char> AllocateShared(std::size_t bytes);

}  // namespace internal

// `n` elements without a value, in shared memory: what lies there is not copied on its way to a node of the
// same machine. A server's handle registered with kBorrow sees the very memory; others get a copy, the only
// one. It must not change before the request is done (of an answer: before the worker has it), like all
// memory that is sent without being copied; of a request that has failed a handle may still read. Elsewhere
// it is memory like any other. It goes when the last array does, and is used again by later calls; a child of
// fork() shares it with its parent, and is given ordinary memory by later calls. So is everybody where the
// system has no such memory. Throws std::bad_alloc. Any thread.
template <typename V = char>
SArray<V> Alloc(std::size_t n) {
  static_assert(std::is_trivially_copyable_v<V>, "the other process sees bytes");
  static_assert(alignof(V) <= 64);
  SArray<V> array;
  if (n == 0) return array;
  if (n > std::numeric_limits<std::size_t>::max() / sizeof(V)) throw std::bad_alloc();
  const std::shared_ptr<char> memory = internal::AllocateShared(n * sizeof(V));
  array.reset(reinterpret_cast<V*>(memory.get()), n, [memory](V*) {});
  return array;
}

}  // namespace ps

#endif  // PS_ALLOC_H_

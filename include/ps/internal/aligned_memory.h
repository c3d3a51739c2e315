// Shared memory blocks aligned for any vector instruction.
#ifndef PS_INTERNAL_ALIGNED_MEMORY_H_
#define PS_INTERNAL_ALIGNED_MEMORY_H_

#include <cstddef>
#include <limits>
#include <memory>
#include <new>

namespace ps::internal {

// `n` default-initialised elements (plain types: nothing is written), aligned to 64 bytes, a cache
// line, or more where V needs it. Null for n = 0; throws std::bad_alloc when there is no memory.
template <typename V>
std::shared_ptr<V> AllocateAligned(std::size_t n) {
  constexpr std::align_val_t kAlignment{alignof(V) > 64 ? alignof(V) : 64};
  if (n == 0) return nullptr;
  if (n > std::numeric_limits<std::size_t>::max() / sizeof(V)) throw std::bad_alloc();
  V* data = static_cast<V*>(::operator new(n * sizeof(V), kAlignment));
  std::uninitialized_default_construct_n(data, n);
  return std::shared_ptr<V>(data, [n](V* elements) {
    std::destroy_n(elements, n);
    ::operator delete(static_cast<void*>(elements), kAlignment);
  });
}

}  // namespace ps::internal

#endif  // PS_INTERNAL_ALIGNED_MEMORY_H_

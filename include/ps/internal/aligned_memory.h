// Shared memory blocks aligned for any vector instruction.
#ifndef PS_INTERNAL_ALIGNED_MEMORY_H_
#define PS_INTERNAL_ALIGNED_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <new>

namespace ps::internal {

// Gives a shared_ptr the front of the memory it owns for its counts, so that a block is one allocation.
template <typename T>
class FrontAllocator {
 public:
  using value_type = T;
  static constexpr std::size_t kFrontBytes = 64;

  // `chunk` comes from operator new and is given back with the counts.
  explicit FrontAllocator(void* chunk) : chunk_(chunk) {}
  template <typename U>
  FrontAllocator(const FrontAllocator<U>& other) : chunk_(other.chunk()) {}  // NOLINT: converts by contract

  T* allocate(std::size_t n) {
    static_assert(alignof(T) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);
    static_assert(sizeof(T) <= kFrontBytes, "the counts of a shared_ptr are larger than expected");
    if (n != 1) throw std::bad_alloc();
    return static_cast<T*>(chunk_);
  }
  void deallocate(T*, std::size_t) { ::operator delete(chunk_); }
  void* chunk() const { return chunk_; }

  friend bool operator==(const FrontAllocator& a, const FrontAllocator& b) { return a.chunk_ == b.chunk_; }
  friend bool operator!=(const FrontAllocator& a, const FrontAllocator& b) { return !(a == b); }

 private:
  void* chunk_;
};

// `n` default-initialised elements (plain types: nothing is written), aligned to 64 bytes, a cache
// line, or more where V needs it. Null for n = 0; throws std::bad_alloc when there is no memory.
template <typename V>
std::shared_ptr<V> AllocateAligned(std::size_t n) {
  constexpr std::size_t kAlignment = alignof(V) > 64 ? alignof(V) : 64;
  constexpr std::size_t kOverhead = FrontAllocator<V>::kFrontBytes + kAlignment;
  if (n == 0) return nullptr;
  if (n > (std::numeric_limits<std::size_t>::max() - kOverhead) / sizeof(V)) throw std::bad_alloc();
  void* const chunk = ::operator new(kOverhead + n * sizeof(V));
  const auto front = reinterpret_cast<std::uintptr_t>(chunk);
  const std::uintptr_t first = (front + kOverhead - 1) / kAlignment * kAlignment;
  V* const data = reinterpret_cast<V*>(static_cast<char*>(chunk) + (first - front));
  try {
    std::uninitialized_default_construct_n(data, n);
  } catch (...) {
    ::operator delete(chunk);
    throw;
  }
  const auto destroy = [n](V* elements) { std::destroy_n(elements, n); };
  return std::shared_ptr<V>(data, destroy, FrontAllocator<V>(chunk));
}

}  // namespace ps::internal

#endif  // PS_INTERNAL_ALIGNED_MEMORY_H_

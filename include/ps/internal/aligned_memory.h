// Shared memory blocks aligned for any vector instruction.
#ifndef PS_INTERNAL_ALIGNED_MEMORY_H_
#define PS_INTERNAL_ALIGNED_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <new>

namespace ps::internal {

constexpr std::size_t kFrontBytes = 64;  // in front of a block, for the counts of its owners
constexpr std::size_t kSmallestPooledBytes = 4096;

// Blocks that are used again (src/base/block_pool.h): at least kSmallestPooledBytes, aligned to 64, with
// kFrontBytes in front. TakeBlock throws std::bad_alloc; GiveBlock takes what it has given for this size.
void* TakeBlock(std::size_t bytes);
void GiveBlock(void* block, std::size_t bytes) noexcept;

// Memory of an array with room for a shared_ptr's counts at its front, so that a block is one allocation.
struct ArrayMemory {
  void* front = nullptr;
  void* data = nullptr;
  std::size_t pooled_bytes = 0;  // 0: it comes from operator new

  static ArrayMemory Allocate(std::size_t bytes, std::size_t alignment) {
    ArrayMemory memory;
    if (bytes >= kSmallestPooledBytes && alignment <= kFrontBytes) {
      memory.pooled_bytes = bytes;
      memory.data = TakeBlock(bytes);
      memory.front = static_cast<char*>(memory.data) - kFrontBytes;
      return memory;
    }
    const std::size_t overhead = kFrontBytes + alignment;
    memory.front = ::operator new(overhead + bytes);
    const auto front = reinterpret_cast<std::uintptr_t>(memory.front);
    const std::uintptr_t first = (front + overhead - 1) / alignment * alignment;
    memory.data = static_cast<char*>(memory.front) + (first - front);
    return memory;
  }
  void Free() const noexcept {
    if (pooled_bytes != 0) {
      GiveBlock(static_cast<char*>(front) + kFrontBytes, pooled_bytes);
    } else {
      ::operator delete(front);
    }
  }
};

// Gives a shared_ptr the front of the memory it owns for its counts.
template <typename T>
class FrontAllocator {
 public:
  using value_type = T;

  // The memory goes with the counts.
  explicit FrontAllocator(const ArrayMemory& memory)
      : front_(memory.front), pooled_bytes_(memory.pooled_bytes) {}
  template <typename U>
  FrontAllocator(const FrontAllocator<U>& other)  // NOLINT: converts by contract
      : front_(other.front()), pooled_bytes_(other.pooled_bytes()) {}

  T* allocate(std::size_t n) {
    static_assert(alignof(T) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);
    static_assert(sizeof(T) <= kFrontBytes, "the counts of a shared_ptr are larger than expected");
    if (n != 1) throw std::bad_alloc();
    return static_cast<T*>(front_);
  }
  void deallocate(T*, std::size_t) { ArrayMemory{front_, nullptr, pooled_bytes_}.Free(); }
  void* front() const { return front_; }
  std::size_t pooled_bytes() const { return pooled_bytes_; }

  friend bool operator==(const FrontAllocator& a, const FrontAllocator& b) { return a.front_ == b.front_; }
  friend bool operator!=(const FrontAllocator& a, const FrontAllocator& b) { return !(a == b); }

 private:
  void* front_;
  std::size_t pooled_bytes_;
};

// `n` default-initialised elements (plain types: nothing is written), aligned to 64 bytes, a cache
// line, or more where V needs it. Null for n = 0; throws std::bad_alloc when there is no memory.
template <typename V>
std::shared_ptr<V> AllocateAligned(std::size_t n) {
  constexpr std::size_t kAlignment = alignof(V) > 64 ? alignof(V) : 64;
  constexpr std::size_t kOverhead = kFrontBytes + kAlignment;
  if (n == 0) return nullptr;
  if (n > (std::numeric_limits<std::size_t>::max() - kOverhead) / sizeof(V)) throw std::bad_alloc();
  const ArrayMemory memory = ArrayMemory::Allocate(n * sizeof(V), kAlignment);
  V* const data = static_cast<V*>(memory.data);
  try {
    std::uninitialized_default_construct_n(data, n);
  } catch (...) {
    memory.Free();
    throw;
  }
  const auto destroy = [n](V* elements) { std::destroy_n(elements, n); };
  return std::shared_ptr<V>(data, destroy, FrontAllocator<V>(memory));
}

}  // namespace ps::internal

#endif  // PS_INTERNAL_ALIGNED_MEMORY_H_

#ifndef PS_BASE_BLOCK_POOL_H_
#define PS_BASE_BLOCK_POOL_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace ps {

// Memory for large arrays that is used again: the first touch of fresh pages costs more than the copy that
// fills them. Freed blocks are kept by size, at most so many bytes of them. A thread gets the one back that
// it has just freed, which is in its cache, else the one that was freed first, because the last one is still
// in the cache of the processor that has read it. Of blocks that have been too many for a while half go back
// to the system.
//
// Any thread, no locks: a child of fork() may use its copy whatever the other threads were doing. Constant
// initialization and no destructor, so that arrays of static objects are no matter of order. Under
// AddressSanitizer nothing is kept.
class BlockPool {
 public:
  static constexpr size_t kSmallestBytes = 4096;
  static constexpr size_t kLargestKeptBytes = size_t{32} << 20;
  static constexpr uint64_t kMostKeptBytes = uint64_t{64} << 20;
  // What is in front of each block: a cache line for its owner's counts.
  static constexpr size_t kFrontBytes = 64;

  constexpr explicit BlockPool(uint64_t most_kept_bytes = kMostKeptBytes)
      : most_kept_bytes_(most_kept_bytes) {}
  BlockPool(const BlockPool&) = delete;
  BlockPool& operator=(const BlockPool&) = delete;

  // That of the process.
  static BlockPool& Shared();

  // `bytes` (at least kSmallestBytes) aligned to 64, from 64 KB on to a page, with kFrontBytes in front.
  // Throws std::bad_alloc.
  void* Take(size_t bytes);
  // What Take has given for this size.
  void Give(void* block, size_t bytes) noexcept;

  // Back to the system with all that is kept.
  void Clear() noexcept;
  uint64_t kept_bytes() const { return kept_bytes_.load(std::memory_order_relaxed); }

 private:
  static constexpr size_t kSlots = 64;
  // Four sizes for each doubling.
  static constexpr int kClasses = 13 * 4 + 1;

  // Free blocks of one size, in the order they came, but for threads that meet here.
  struct Shelf {
    std::array<std::atomic<void*>, kSlots> slots{};
    std::atomic<uint32_t> next_take{0};
    std::atomic<uint32_t> next_give{0};
    std::atomic<int32_t> kept{0};
    // Since `takes` began to count.
    std::atomic<int32_t> least_kept{0};
    std::atomic<uint32_t> takes{0};

    // The block that this very thread has freed last, if it is still there.
    void* TakeOwn();
    void* Take();
    bool Put(void* block);
  };
  struct Given {
    const Shelf* shelf = nullptr;
    void* block = nullptr;
    uint32_t slot = 0;
  };

  static int ClassOf(size_t bytes);
  static size_t BytesOf(int size_class);

  // False: there were fewer.
  bool ReleaseSome(int size_class, int count) noexcept;
  void ReleaseSurplus(int size_class) noexcept;
  void MakeRoom(int for_class) noexcept;

  static thread_local Given last_given;  // by this thread

  const uint64_t most_kept_bytes_;
  std::atomic<uint64_t> kept_bytes_{0};
  std::array<Shelf, kClasses> shelves_{};
};

}  // namespace ps
#endif  // PS_BASE_BLOCK_POOL_H_

#include "base/block_pool.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <new>
#include <type_traits>

#include "base/sanitizer.h"
#include "ps/internal/aligned_memory.h"

namespace ps {
namespace {

// From here on memory comes from the system itself: what malloc gives back by its own rules is faulted in
// again.
constexpr size_t kMappedBytes = size_t{64} << 10;
// Where the system has pages of this size they are faulted in many times faster.
constexpr size_t kHugePage = size_t{2} << 20;
// So often a size is asked for until what was left over meanwhile is too much.
constexpr uint32_t kTakesPerLook = 256;

#if defined(PS_ADDRESS_SANITIZER)
constexpr bool kKeepsBlocks = false;
#else
constexpr bool kKeepsBlocks = true;
#endif

// Asked for each time, because it costs nothing beside mmap.
size_t PageBytes() { return static_cast<size_t>(sysconf(_SC_PAGESIZE)); }

size_t RoundUp(size_t bytes, size_t unit) { return (bytes + unit - 1) / unit * unit; }

char* Map(size_t bytes) {
  void* const mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) throw std::bad_alloc();
  return static_cast<char*>(mapped);
}

// Begins at a huge page, with a small one in front.
char* MapHuge(size_t bytes) {
  const size_t page = PageBytes();
  const size_t reserved = bytes + kHugePage + page;
  char* const begin = Map(reserved);
  const auto at = reinterpret_cast<std::uintptr_t>(begin);
  char* const block = begin + (RoundUp(at + page, kHugePage) - at);
  char* const front = block - page;
  if (front > begin) munmap(begin, static_cast<size_t>(front - begin));
  const auto behind = static_cast<size_t>(begin + reserved - (block + bytes));
  if (behind > 0) munmap(block + bytes, behind);
  (void)madvise(block, bytes, MADV_HUGEPAGE);  // small ones will do
  return block;
}

// `bytes` is what a class has, or (beyond the largest) whole pages.
void* NewBlock(size_t bytes) {
  if (bytes >= kHugePage) return MapHuge(bytes);
  if (bytes >= kMappedBytes) return Map(bytes + PageBytes()) + PageBytes();
  char* const front = static_cast<char*>(
      ::operator new (BlockPool::kFrontBytes + bytes, std::align_val_t{BlockPool::kFrontBytes}));
  return front + BlockPool::kFrontBytes;
}

void DeleteBlock(void* block, size_t bytes) noexcept {
  char* const begin = static_cast<char*>(block);
  if (bytes >= kMappedBytes) {
    munmap(begin - PageBytes(), bytes + PageBytes());
  } else {
    ::operator delete (begin - BlockPool::kFrontBytes, std::align_val_t{BlockPool::kFrontBytes});
  }
}

}  // namespace

// --- a shelf ---

// Compared before it is used: the shelf, or the block, may be gone.
thread_local BlockPool::Given BlockPool::last_given;

void* BlockPool::Shelf::TakeOwn() {
  if (last_given.shelf != this) return nullptr;
  last_given.shelf = nullptr;
  void* block = last_given.block;
  if (!slots[last_given.slot].compare_exchange_strong(block, nullptr, std::memory_order_acquire))
    return nullptr;
  kept.fetch_sub(1, std::memory_order_relaxed);
  return block;
}

void* BlockPool::Shelf::Take() {
  if (kept.load(std::memory_order_relaxed) <= 0) return nullptr;
  if (void* const own = TakeOwn()) return own;
  const uint32_t first = next_take.load(std::memory_order_relaxed);
  for (uint32_t i = 0; i < kSlots; ++i) {
    std::atomic<void*>& slot = slots[(first + i) % kSlots];
    if (slot.load(std::memory_order_relaxed) == nullptr) continue;
    void* const block = slot.exchange(nullptr, std::memory_order_acquire);
    if (block == nullptr) continue;
    next_take.store(first + i + 1, std::memory_order_relaxed);
    kept.fetch_sub(1, std::memory_order_relaxed);
    return block;
  }
  return nullptr;
}

bool BlockPool::Shelf::Put(void* block) {
  const uint32_t first = next_give.load(std::memory_order_relaxed);
  for (uint32_t i = 0; i < kSlots; ++i) {
    std::atomic<void*>& slot = slots[(first + i) % kSlots];
    void* expected = nullptr;
    if (slot.load(std::memory_order_relaxed) != nullptr) continue;
    if (!slot.compare_exchange_strong(expected, block, std::memory_order_release)) continue;
    next_give.store(first + i + 1, std::memory_order_relaxed);
    kept.fetch_add(1, std::memory_order_relaxed);
    last_given = {this, block, static_cast<uint32_t>((first + i) % kSlots)};
    return true;
  }
  return false;
}

// --- sizes ---

int BlockPool::ClassOf(size_t bytes) {
  if (bytes <= kSmallestBytes) return 0;
  // 4096 * 2^power < bytes <= 4096 * 2^(power + 1), in four steps.
  const int power = 63 - __builtin_clzll((bytes - 1) / kSmallestBytes);
  const size_t base = kSmallestBytes << power;
  const size_t step = base / 4;
  return power * 4 + static_cast<int>((bytes - base + step - 1) / step);
}

size_t BlockPool::BytesOf(int size_class) {
  if (size_class == 0) return kSmallestBytes;
  const size_t base = kSmallestBytes << ((size_class - 1) / 4);
  return base + base / 4 * static_cast<size_t>((size_class - 1) % 4 + 1);
}

// --- the pool ---

namespace {

BlockPool shared_pool;
static_assert(std::is_trivially_destructible_v<BlockPool>, "arrays may go after it");

}  // namespace

BlockPool& BlockPool::Shared() { return shared_pool; }

void* BlockPool::Take(size_t bytes) {
  if (bytes > std::numeric_limits<size_t>::max() / 2) throw std::bad_alloc();
  if (bytes > kLargestKeptBytes) return NewBlock(RoundUp(bytes, PageBytes()));
  const int size_class = ClassOf(bytes);
  Shelf& shelf = shelves_[size_class];
  void* const block = shelf.Take();
  const int32_t left = block == nullptr ? 0 : shelf.kept.load(std::memory_order_relaxed);
  if (left < shelf.least_kept.load(std::memory_order_relaxed))
    shelf.least_kept.store(left, std::memory_order_relaxed);
  if (shelf.takes.fetch_add(1, std::memory_order_relaxed) % kTakesPerLook == kTakesPerLook - 1)
    ReleaseSurplus(size_class);
  if (block == nullptr) return NewBlock(BytesOf(size_class));
  kept_bytes_.fetch_sub(BytesOf(size_class), std::memory_order_relaxed);
  return block;
}

void BlockPool::Give(void* block, size_t bytes) noexcept {
  if (bytes > kLargestKeptBytes) return DeleteBlock(block, RoundUp(bytes, PageBytes()));
  const int size_class = ClassOf(bytes);
  const size_t size = BytesOf(size_class);
  if (!kKeepsBlocks) return DeleteBlock(block, size);
  kept_bytes_.fetch_add(size, std::memory_order_relaxed);
  if (kept_bytes() > most_kept_bytes_) MakeRoom(size_class);
  if (kept_bytes() <= most_kept_bytes_ && shelves_[size_class].Put(block)) return;
  kept_bytes_.fetch_sub(size, std::memory_order_relaxed);
  DeleteBlock(block, size);
}

void BlockPool::Clear() noexcept {
  for (int size_class = 0; size_class < kClasses; ++size_class) ReleaseSome(size_class, kSlots);
}

bool BlockPool::ReleaseSome(int size_class, int count) noexcept {
  for (; count > 0; --count) {
    void* const block = shelves_[size_class].Take();
    if (block == nullptr) return false;
    kept_bytes_.fetch_sub(BytesOf(size_class), std::memory_order_relaxed);
    DeleteBlock(block, BytesOf(size_class));
  }
  return true;
}

// Half of those that nobody has needed since the last look, so that a pause is not paid for at once.
void BlockPool::ReleaseSurplus(int size_class) noexcept {
  Shelf& shelf = shelves_[size_class];
  const int32_t surplus = shelf.least_kept.load(std::memory_order_relaxed);
  ReleaseSome(size_class, (surplus + 1) / 2);
  shelf.least_kept.store(std::max(0, shelf.kept.load(std::memory_order_relaxed)), std::memory_order_relaxed);
}

// Other sizes have to go, the largest first: what is freed now is likely to be needed next.
void BlockPool::MakeRoom(int for_class) noexcept {
  for (int size_class = kClasses - 1; size_class >= 0; --size_class) {
    if (size_class == for_class) continue;
    // Not until the counts say so: in a child of fork() they may be wrong for good.
    while (kept_bytes() > most_kept_bytes_ && ReleaseSome(size_class, 1)) {
    }
  }
}

// --- for arrays ---

namespace internal {

static_assert(kFrontBytes == BlockPool::kFrontBytes && kSmallestPooledBytes == BlockPool::kSmallestBytes);

void* TakeBlock(std::size_t bytes) { return BlockPool::Shared().Take(bytes); }

void GiveBlock(void* block, std::size_t bytes) noexcept { BlockPool::Shared().Give(block, bytes); }

}  // namespace internal

}  // namespace ps

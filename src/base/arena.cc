#include "base/arena.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <iterator>
#include <limits>
#include <utility>

#include "base/fork.h"
#include "base/never_destroyed.h"

#ifndef F_SEAL_FUTURE_WRITE
#define F_SEAL_FUTURE_WRITE 0x0010
#endif

namespace ps {
namespace {

constexpr int kSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_FUTURE_WRITE | F_SEAL_SEAL;
constexpr size_t kPage = 4096;
constexpr size_t kLine = 64;

size_t RoundUp(size_t bytes, size_t unit) { return (bytes + unit - 1) / unit * unit; }

size_t BlockBytes(size_t bytes) { return RoundUp(bytes, bytes >= kPage ? kPage : kLine); }

char* Map(const Descriptor& memfd, size_t bytes, int protection) {
  void* const mapped = mmap(nullptr, bytes, protection, MAP_SHARED, memfd.fd(), 0);
  return mapped == MAP_FAILED ? nullptr : static_cast<char*>(mapped);
}

// In a child of a process that had arenas: it has the same memory, and can not know what of it the parent
// hands out.
std::atomic<bool> is_inherited{false};

void NoteForks() {
  [[maybe_unused]] static const int registered =
      pthread_atfork(nullptr, nullptr, [] { is_inherited.store(true); });
}

// Before any lock: a thread of the parent may hold it.
bool IsOfParent() { return is_inherited.load(std::memory_order_relaxed) || IsForked(); }

}  // namespace

// --- an arena ---

Arena::Arena(uint64_t id, char* base, size_t bytes, Descriptor memfd)
    : id_(id), base_(base), bytes_(bytes), memfd_(std::move(memfd)) {}

Arena::~Arena() { munmap(base_, bytes_); }

std::shared_ptr<Arena> Arena::Create(uint64_t id, size_t bytes) {
  Descriptor made(memfd_create("caravan-arena", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!made.is_open() || ftruncate(made.fd(), static_cast<off_t>(bytes)) != 0) return nullptr;
  // Mapped before it is sealed: only this mapping can be written.
  char* const base = Map(made, bytes, PROT_READ | PROT_WRITE);
  if (base == nullptr) return nullptr;
  auto arena = std::make_shared<Arena>(id, base, bytes, std::move(made));
  return fcntl(arena->memfd().fd(), F_ADD_SEALS, kSeals) == 0 ? arena : nullptr;
}

std::shared_ptr<Arena> Arena::Open(const Descriptor& memfd, uint64_t id, uint64_t bytes) {
  const int seals = fcntl(memfd.fd(), F_GET_SEALS);
  struct stat info {};
  if (seals < 0 || (seals & kSeals) != kSeals || fstat(memfd.fd(), &info) != 0) return nullptr;
  if (bytes == 0 || static_cast<uint64_t>(info.st_size) != bytes) return nullptr;
  char* const base = Map(memfd, bytes, PROT_READ);
  return base == nullptr ? nullptr : std::make_shared<Arena>(id, base, bytes, Descriptor());
}

// --- the heap ---

ArenaHeap& ArenaHeap::Shared() {
  static NeverDestroyed<ArenaHeap> heap;
  return heap.value;
}

std::optional<size_t> ArenaHeap::TakeFrom(Region* region, size_t bytes) {
  // Small blocks may leave a gap that begins amid a page.
  const auto place = [bytes](size_t begin) { return bytes >= kPage ? RoundUp(begin, kPage) : begin; };
  const auto gap = std::find_if(region->free.begin(), region->free.end(), [&](const auto& one) {
    return place(one.first) + bytes <= one.first + one.second;
  });
  if (gap == region->free.end()) return std::nullopt;
  const auto [begin, size] = *gap;
  const size_t at = place(begin);
  // Made before anything changes: there may be no memory.
  std::map<size_t, size_t> made{{at, bytes}, {at + bytes, begin + size - at - bytes}};
  region->taken.insert(made.extract(at));
  if (made.begin()->second > 0) region->free.insert(made.extract(made.begin()));
  if (at > begin) {
    gap->second = at - begin;
  } else {
    region->free.erase(gap);
  }
  return at;
}

std::shared_ptr<char> ArenaHeap::Allocate(size_t bytes) {
  if (bytes > std::numeric_limits<size_t>::max() / 2 || IsOfParent()) return nullptr;
  bytes = BlockBytes(bytes);
  char* block = nullptr;
  {
    MutexLock lock(mutex_);
    for (auto& [base, region] : regions_) {
      const std::optional<size_t> at = TakeFrom(&region, bytes);
      if (at.has_value()) block = region.arena->base() + *at;
      if (block != nullptr) break;
    }
    if (block == nullptr) {
      NoteForks();
      const size_t size = std::max(kUsualBytes, RoundUp(bytes, kPage));
      std::shared_ptr<Arena> arena = Arena::Create(++last_id_, size);
      if (arena == nullptr) return nullptr;
      block = arena->base();
      Region region{std::move(arena), {}, {{0, bytes}}};
      if (bytes < size) region.free.emplace(bytes, size - bytes);
      regions_.emplace(block, std::move(region));
      num_regions_.store(regions_.size(), std::memory_order_relaxed);
    }
  }
  return {block, [this](char* freed) { Free(freed); }};
}

ArenaHeap::Regions::const_iterator ArenaHeap::Containing(const char* at) const {
  const auto next = regions_.upper_bound(at);
  return next == regions_.begin() ? regions_.end() : std::prev(next);
}

void ArenaHeap::Free(const char* block) {
  if (IsOfParent()) return;
  if (TakeBack(block) == nullptr) return;
  // Only now: who looks because of it finds that nothing refers to the arena any more.
  num_gone_.fetch_add(1);
}

std::shared_ptr<Arena> ArenaHeap::TakeBack(const char* block) {
  std::shared_ptr<Arena> gone;
  MutexLock lock(mutex_);
  const auto region = regions_.find(Containing(block)->first);
  std::map<size_t, size_t>& free = region->second.free;
  auto gap = free.insert(region->second.taken.extract(static_cast<size_t>(block - region->first))).position;
  const auto next = std::next(gap);
  if (next != free.end() && gap->first + gap->second == next->first) {
    gap->second += next->second;
    free.erase(next);
  }
  if (gap != free.begin() && std::prev(gap)->first + std::prev(gap)->second == gap->first) {
    std::prev(gap)->second += gap->second;
    gap = std::prev(free.erase(gap));
  }
  const size_t size = region->second.arena->bytes();
  if (gap->second != size || (size == kUsualBytes && regions_.size() == 1)) return gone;
  gone = std::move(region->second.arena);
  regions_.erase(region);
  num_regions_.store(regions_.size(), std::memory_order_relaxed);
  return gone;
}

std::shared_ptr<Arena> ArenaHeap::Find(const char* begin, size_t bytes) const {
  if (num_regions_.load(std::memory_order_relaxed) == 0 || IsOfParent()) return nullptr;
  MutexLock lock(mutex_);
  const auto region = Containing(begin);
  if (region == regions_.end()) return nullptr;
  const Arena& arena = *region->second.arena;
  const auto offset = static_cast<size_t>(begin - arena.base());
  if (offset >= arena.bytes() || bytes > arena.bytes() - offset) return nullptr;
  return region->second.arena;
}

}  // namespace ps

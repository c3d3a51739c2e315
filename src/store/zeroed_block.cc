#include "store/zeroed_block.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <new>

namespace ps {
namespace {

constexpr std::size_t kLine = 64;
constexpr std::size_t kHugePage = std::size_t{2} << 20;
// Below this the allocator's memory is good enough, and many small tables do not use up the process's maps.
constexpr std::size_t kMappedBytes = std::size_t{256} << 10;

std::size_t RoundUp(std::size_t bytes, std::size_t unit) { return (bytes + unit - 1) / unit * unit; }

std::size_t Page() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

char* Map(std::size_t bytes) {
  void* const at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) throw std::bad_alloc();
  return static_cast<char*>(at);
}

// Begins at a huge page; what was mapped around it goes back.
char* MapHuge(std::size_t bytes) {
  if (bytes > SIZE_MAX - kHugePage) throw std::bad_alloc();
  char* const begin = Map(bytes + kHugePage);
  const auto at = reinterpret_cast<std::uintptr_t>(begin);
  const std::size_t before = RoundUp(at, kHugePage) - at;
  if (before > 0) munmap(begin, before);
  if (before < kHugePage) munmap(begin + before + bytes, kHugePage - before);
  (void)madvise(begin + before, bytes, MADV_HUGEPAGE);  // small ones will do
  return begin + before;
}

char* Allocate(std::size_t bytes) {
  if (bytes >= kHugePage) return MapHuge(bytes);
  if (bytes >= kMappedBytes) return Map(bytes);
  void* const block = ::operator new (bytes, std::align_val_t{kLine});
  std::memset(block, 0, bytes);
  return static_cast<char*>(block);
}

}  // namespace

ZeroedBlock::ZeroedBlock(std::size_t bytes) {
  if (bytes == 0) return;
  if (bytes > SIZE_MAX / 2) throw std::bad_alloc();
  bytes_ = RoundUp(bytes, bytes >= kMappedBytes ? Page() : kLine);
  data_ = Allocate(bytes_);
}

ZeroedBlock::~ZeroedBlock() {
  if (data_ == nullptr) return;
  if (bytes_ >= kMappedBytes) {
    munmap(data_, bytes_);
  } else {
    ::operator delete (data_, std::align_val_t{kLine});
  }
}

void ZeroedBlock::Prefault(std::size_t bytes) const {
  if (bytes_ < kMappedBytes) return;
#if defined(MADV_POPULATE_WRITE)
  (void)madvise(data_, RoundUp(std::min(bytes, bytes_), Page()), MADV_POPULATE_WRITE);
#else
  const std::size_t page = Page();
  for (std::size_t at = 0; at < std::min(bytes, bytes_); at += page) data_[at] = 0;
#endif
}

void CopyWhereDifferent(char* to, const char* from, std::size_t bytes) {
  constexpr std::size_t kPage = 4096;
  for (std::size_t at = 0; at < bytes; at += kPage) {
    const std::size_t size = std::min(kPage, bytes - at);
    if (std::memcmp(to + at, from + at, size) != 0) std::memcpy(to + at, from + at, size);
  }
}

}  // namespace ps

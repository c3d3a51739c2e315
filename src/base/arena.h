#ifndef PS_BASE_ARENA_H_
#define PS_BASE_ARENA_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "base/descriptors.h"
#include "base/mutex.h"

namespace ps {

// Memory that has a descriptor (memfd), so that another process can be given it to read: it can neither map
// it for writing nor change its size. Mapped here as long as the object lives.
class Arena {
 public:
  // Null where there is no such memory. `bytes` are whole pages.
  static std::shared_ptr<Arena> Create(uint64_t id, size_t bytes);
  // What Create is given by another process, to read. Null when it is not that.
  static std::shared_ptr<Arena> Open(const Descriptor& memfd, uint64_t id, uint64_t bytes);

  Arena(uint64_t id, char* base, size_t bytes, Descriptor memfd);
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  uint64_t id() const { return id_; }  // unique in the process that made it
  char* base() const { return base_; }
  size_t bytes() const { return bytes_; }
  const Descriptor& memfd() const { return memfd_; }  // not open where it is only read

 private:
  const uint64_t id_;
  char* const base_;
  const size_t bytes_;
  const Descriptor memfd_;
};

// Hands out blocks of arenas. An arena goes with its last block, but for one of the usual size. A child of
// fork() neither hands out nor takes back anything of a parent that had arenas. Thread-safe.
class ArenaHeap {
 public:
  static constexpr size_t kUsualBytes = size_t{64} << 20;

  // That of the process; never destroyed.
  static ArenaHeap& Shared();

  // Aligned to 64, from 4 KB on to a page. Null when there is no shared memory. The heap outlives it.
  std::shared_ptr<char> Allocate(size_t bytes);
  // The arena in which all of these bytes lie; null if there is none.
  std::shared_ptr<Arena> Find(const char* begin, size_t bytes) const;
  // Grows whenever an arena goes.
  uint64_t num_gone() const { return num_gone_.load(); }

 private:
  struct Region {
    std::shared_ptr<Arena> arena;
    std::map<size_t, size_t> free;  // begin and size of each gap; no two touch
    // The same of each block: it becomes a gap without memory being needed, which there may be none of.
    std::map<size_t, size_t> taken;
  };
  using Regions = std::map<const char*, Region>;

  static std::optional<size_t> TakeFrom(Region* region, size_t bytes);
  void Free(const char* block);
  // The arena, if that was its last block.
  std::shared_ptr<Arena> TakeBack(const char* block);
  Regions::const_iterator Containing(const char* at) const PS_REQUIRES(mutex_);

  std::atomic<size_t> num_regions_{0};
  std::atomic<uint64_t> num_gone_{0};
  mutable Mutex mutex_;
  Regions regions_ PS_GUARDED_BY(mutex_);  // by where they begin
  uint64_t last_id_ PS_GUARDED_BY(mutex_) = 0;
};

}  // namespace ps
#endif  // PS_BASE_ARENA_H_

#ifndef PS_STORE_ROW_INDEX_H_
#define PS_STORE_ROW_INDEX_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "store/mix64.h"
#include "store/row_slab.h"
#include "store/zeroed_block.h"

namespace ps {

// From keys to the rows of a slab. Open addressing with linear probing in segments of 32 KB, which a
// directory finds by the upper bits of the hash; a segment that is full is split in two, and that is the
// largest step in which it grows. A slot is 32 bits of the hash and the row: the key itself is in the row, so
// that eight slots share a cache line. What matches is a candidate until the row's key was compared.
//
// To look many keys up: hash and Prefetch all, then Probe all (and prefetch the rows), then compare. One
// thread.
class RowIndex {
 public:
  static constexpr std::uint32_t kNone = RowSlab::kNone;

  // Rows are the slab's, which outlives the index. Throws std::bad_alloc, as all that grows.
  explicit RowIndex(const RowSlab* slab);

  // Not the mixing that chooses a key's server: all keys here may have it in common.
  static std::uint64_t Hash(std::uint64_t key) { return Mix64(key * kFactor + kTerm); }

  // Forced as RowSlab::Prefetch is.
  __attribute__((always_inline)) void Prefetch(std::uint64_t hash) const { __builtin_prefetch(Home(hash)); }
  // The first row whose slot matches, most likely the key's; kNone: the key is not here.
  std::uint32_t Probe(std::uint64_t hash) const {
    const Slot* const slots = SegmentOf(hash).slots();
    for (std::size_t at = hash & mask_;; at = (at + 1) & mask_) {
      const Slot slot = slots[at];
      if (slot == 0 || TagOf(slot) == TagFor(hash)) return RowOf(slot);
    }
  }
  // The row that has the key, or kNone.
  std::uint32_t Find(std::uint64_t hash, std::uint64_t key) const;
  // A key that is not here. If there is no memory to grow, fuller segments have to do; throws std::bad_alloc
  // when one is full, and nothing has changed.
  void Insert(std::uint64_t hash, std::uint32_t row);
  // A row that is here.
  void Erase(std::uint64_t hash, std::uint32_t row);

  std::size_t bytes() const { return bytes_; }

 private:
  // Tag above, row + 1 below; 0: empty.
  using Slot = std::uint64_t;
  // In front of mask_ + 1 slots.
  struct alignas(64) Segment {
    std::size_t num_used;
    std::size_t split_at;  // different ones, so that not all segments are split at a time
    int depth;             // bits of the hash that its keys have in common

    Slot* slots() { return reinterpret_cast<Slot*>(this + 1); }
    const Slot* slots() const { return reinterpret_cast<const Slot*>(this + 1); }
  };
  static constexpr std::uint64_t kFactor = 0x9e3779b97f4a7c15ULL;
  static constexpr std::uint64_t kTerm = 0xd1b54a32d192ed03ULL;
  static constexpr int kSegmentBits = 12;

  static std::uint32_t TagFor(std::uint64_t hash) { return static_cast<std::uint32_t>(hash >> kSegmentBits); }
  static std::uint32_t TagOf(Slot slot) { return static_cast<std::uint32_t>(slot >> 32); }
  static std::uint32_t RowOf(Slot slot) { return static_cast<std::uint32_t>(slot) - 1; }
  static Slot MakeSlot(std::uint64_t hash, std::uint32_t row) {
    return Slot{TagFor(hash)} << 32 | (row + 1U);
  }

  // Twice, because a shift by 64 is none.
  std::size_t Place(std::uint64_t hash) const { return hash >> 1 >> (63 - depth_); }
  Segment& SegmentOf(std::uint64_t hash) const { return *directory_[Place(hash)]; }
  const Slot* Home(std::uint64_t hash) const { return SegmentOf(hash).slots() + (hash & mask_); }
  std::uint64_t HashOf(Slot slot) const { return Hash(slab_->At(RowOf(slot))->key); }

  static void Put(Segment* segment, std::size_t mask, std::uint64_t hash, Slot slot);
  // Puts slots into the segments that `choose` gives for their hashes.
  template <typename Choose>
  void Distribute(const Slot* slots, std::size_t num_slots, Choose choose) const;

  void MakeRoom(std::uint64_t hash);
  void GrowFirst();
  void Split(std::uint64_t hash);
  Segment* NewSegment();

  const RowSlab* const slab_;
  std::size_t mask_;  // of slots in a segment; less than that of a whole one only while there is one segment
  int depth_ = 0;
  std::vector<Segment*> directory_;  // 2^depth_
  ZeroedBlock first_;                // the only segment while it is small
  std::vector<Slot> split_;          // what is being split
  std::vector<ZeroedBlock> blocks_;  // of whole segments
  std::size_t num_segments_ = 0;     // in blocks_
  std::size_t bytes_ = 0;
};

}  // namespace ps
#endif  // PS_STORE_ROW_INDEX_H_

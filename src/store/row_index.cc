#include "store/row_index.h"

#include <algorithm>
#include <new>
#include <utility>

namespace ps {
namespace {

constexpr std::size_t kFirstSlots = 32;
constexpr std::size_t kBlockBytes = std::size_t{2} << 20;
constexpr std::size_t kAhead = 16;
// The directory has more places for each segment only if keys were made for that: honest hashes have not so
// many bits in common.
constexpr std::size_t kMostPlacesPerSegment = 256;

}  // namespace

RowIndex::RowIndex(const RowSlab* slab) : slab_(slab), mask_(kFirstSlots - 1) {
  first_ = ZeroedBlock(sizeof(Segment) + kFirstSlots * sizeof(Slot));
  bytes_ = first_.bytes();
  auto* const segment = reinterpret_cast<Segment*>(first_.data());
  segment->split_at = kFirstSlots / 4 * 3;
  directory_.push_back(segment);
}

std::uint32_t RowIndex::Find(std::uint64_t hash, std::uint64_t key) const {
  const Slot* const slots = SegmentOf(hash).slots();
  for (std::size_t at = hash & mask_; slots[at] != 0; at = (at + 1) & mask_) {
    if (TagOf(slots[at]) == TagFor(hash) && slab_->At(RowOf(slots[at]))->key == key) return RowOf(slots[at]);
  }
  return kNone;
}

void RowIndex::Put(Segment* segment, std::size_t mask, std::uint64_t hash, Slot slot) {
  Slot* const slots = segment->slots();
  std::size_t at = hash & mask;
  while (slots[at] != 0) at = (at + 1) & mask;
  slots[at] = slot;
  ++segment->num_used;
}

void RowIndex::Insert(std::uint64_t hash, std::uint32_t row) {
  if (SegmentOf(hash).num_used >= SegmentOf(hash).split_at) MakeRoom(hash);
  // One slot stays empty, or nobody would stop looking.
  while (SegmentOf(hash).num_used >= mask_) MakeRoom(hash);
  Put(&SegmentOf(hash), mask_, hash, MakeSlot(hash, row));
}

void RowIndex::Erase(std::uint64_t hash, std::uint32_t row) {
  Segment& segment = SegmentOf(hash);
  Slot* const slots = segment.slots();
  std::size_t hole = hash & mask_;
  while (RowOf(slots[hole]) != row) hole = (hole + 1) & mask_;
  // What comes behind moves up, unless it would come before its home.
  for (std::size_t at = (hole + 1) & mask_; slots[at] != 0; at = (at + 1) & mask_) {
    const std::size_t from_home = (at - HashOf(slots[at])) & mask_;
    if (from_home < ((at - hole) & mask_)) continue;
    slots[hole] = slots[at];
    hole = at;
  }
  slots[hole] = 0;
  --segment.num_used;
}

// --- growing ---

template <typename Choose>
void RowIndex::Distribute(const Slot* slots, std::size_t num_slots, Choose choose) const {
  for (std::size_t i = 0; i < num_slots; ++i) {
    const Slot ahead = i + kAhead < num_slots ? slots[i + kAhead] : 0;
    if (ahead != 0) __builtin_prefetch(slab_->At(RowOf(ahead)));
    if (slots[i] == 0) continue;
    const std::uint64_t hash = HashOf(slots[i]);
    Put(choose(hash), mask_, hash, slots[i]);
  }
}

void RowIndex::MakeRoom(std::uint64_t hash) {
  try {
    if (mask_ + 1 < std::size_t{1} << kSegmentBits) {
      GrowFirst();
    } else {
      Split(hash);
    }
  } catch (const std::bad_alloc&) {
    if (SegmentOf(hash).num_used >= mask_) throw;
  }
}

RowIndex::Segment* RowIndex::NewSegment() {
  constexpr std::size_t kSlots = std::size_t{1} << kSegmentBits;
  constexpr std::size_t kBytes = sizeof(Segment) + kSlots * sizeof(Slot);
  constexpr std::size_t kPerBlock = kBlockBytes / kBytes;
  if (num_segments_ == blocks_.size() * kPerBlock) blocks_.emplace_back(kBlockBytes);
  char* const at = blocks_.back().data() + num_segments_ % kPerBlock * kBytes;
  auto* const segment = reinterpret_cast<Segment*>(at);
  segment->split_at = kSlots / 2 + kSlots / 8 + Mix64(++num_segments_) % (kSlots / 4);
  bytes_ += kBytes;
  return segment;
}

void RowIndex::GrowFirst() {
  const std::size_t old_slots = mask_ + 1;
  const std::size_t slots = 2 * old_slots;
  const bool is_whole = slots == std::size_t{1} << kSegmentBits;
  ZeroedBlock block(is_whole ? 0 : sizeof(Segment) + slots * sizeof(Slot));
  Segment* const larger = is_whole ? NewSegment() : reinterpret_cast<Segment*>(block.data());
  if (!is_whole) larger->split_at = slots / 4 * 3;
  mask_ = slots - 1;
  Distribute(directory_[0]->slots(), old_slots, [larger](std::uint64_t) { return larger; });
  directory_[0] = larger;
  bytes_ += block.bytes();
  bytes_ -= first_.bytes();
  first_ = std::move(block);
}

void RowIndex::Split(std::uint64_t hash) {
  Segment* const low = &SegmentOf(hash);
  const bool is_deepest = low->depth == depth_;
  if (is_deepest && directory_.size() * 2 > kMostPlacesPerSegment * num_segments_) throw std::bad_alloc();
  std::vector<Segment*> doubled(is_deepest ? directory_.size() * 2 : 0);
  split_.assign(low->slots(), low->slots() + mask_ + 1);
  Segment* const high = NewSegment();
  // From here on nothing fails.
  if (is_deepest) {
    for (std::size_t i = 0; i < doubled.size(); ++i) doubled[i] = directory_[i / 2];
    bytes_ += directory_.size() * sizeof(Segment*);
    directory_ = std::move(doubled);
    ++depth_;
  }
  high->depth = ++low->depth;
  low->num_used = 0;
  std::fill_n(low->slots(), mask_ + 1, Slot{0});
  const int shift = 64 - low->depth;
  Distribute(split_.data(), split_.size(),
             [=](std::uint64_t of) { return (of >> shift & 1) != 0 ? high : low; });
  // The places of both follow each other in the directory.
  const std::size_t places = std::size_t{2} << (depth_ - low->depth);
  const std::size_t begin = Place(hash) & ~(places - 1);
  std::fill_n(directory_.begin() + static_cast<std::ptrdiff_t>(begin + places / 2), places / 2, high);
}

}  // namespace ps

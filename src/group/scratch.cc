#include "group/scratch.h"

#include <utility>

namespace ps {
namespace {

void Release(Device* device, Scratch::Kind kind, void* data) {
  kind == Scratch::kStaging ? device->FreeStaging(data) : device->Free(data);
}

}  // namespace

Scratch::Block::Block(Block&& other) noexcept
    : owner_(std::exchange(other.owner_, nullptr)),
      device_(other.device_),
      kind_(other.kind_),
      data_(std::exchange(other.data_, nullptr)),
      bytes_(other.bytes_) {}

Scratch::Block::~Block() {
  if (owner_ != nullptr) owner_->GiveBack({device_, kind_, data_, bytes_});
}

Scratch::~Scratch() {
  MutexLock lock(mutex_);
  for (const Free& block : free_) Release(block.device, block.kind, block.data);
}

Scratch::Block Scratch::Take(Device* device, Kind kind, std::size_t bytes) {
  Block block;
  block.device_ = device;
  block.kind_ = kind;
  if (!TakeFree(&block, bytes)) {
    block.data_ = (kind == kStaging ? device->AllocateStaging(bytes) : device->Allocate(bytes)).value();
    block.bytes_ = bytes;
  }
  block.owner_ = this;
  return block;
}

bool Scratch::TakeFree(Block* block, std::size_t bytes) {
  MutexLock lock(mutex_);
  std::size_t best = free_.size();     // the smallest that is enough
  std::size_t largest = free_.size();  // of those that are not
  for (std::size_t i = 0; i < free_.size(); ++i) {
    if (free_[i].device != block->device_ || free_[i].kind != block->kind_) continue;
    std::size_t& chosen = free_[i].bytes >= bytes ? best : largest;
    const bool wants_less = free_[i].bytes >= bytes;
    if (chosen == free_.size() || (free_[i].bytes < free_[chosen].bytes) == wants_less) chosen = i;
  }
  const bool is_found = best < free_.size();
  if (!is_found && largest == free_.size()) return false;
  const std::size_t gone = is_found ? best : largest;
  if (is_found) {
    block->data_ = free_[best].data;
    block->bytes_ = free_[best].bytes;
  } else {
    // The new block takes the place of one that was too small: else blocks of all sizes would be kept.
    Release(free_[largest].device, free_[largest].kind, free_[largest].data);
  }
  free_.erase(free_.begin() + static_cast<std::ptrdiff_t>(gone));
  return is_found;
}

void Scratch::GiveBack(const Free& free) {
  MutexLock lock(mutex_);
  free_.push_back(free);
}

}  // namespace ps

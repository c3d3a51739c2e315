#include "group/scratch.h"

#include <algorithm>
#include <utility>

#include "device/devices.h"
#include "device/shape.h"

namespace ps {
namespace {

// A block may be this much larger than what is asked for: sizes of a model come again, and what a tensor
// holds for long must not be much more than it needs.
std::size_t LargestFor(std::size_t bytes) { return bytes + bytes / 4 + 4096; }

}  // namespace

Scratch::Block::Block(Block&& other) noexcept
    : owner_(std::move(other.owner_)),
      device_(other.device_),
      kind_(other.kind_),
      data_(other.data_),
      bytes_(other.bytes_) {}

Scratch::Block::~Block() {
  if (owner_ != nullptr) owner_->GiveBack({device_, kind_, bytes_, data_});
}

Scratch::~Scratch() {
  MutexLock lock(mutex_);
  Release(free_);
}

Scratch::Block Scratch::Take(Device* device, Kind kind, std::size_t bytes) {
  Block block;
  block.device_ = device;
  block.kind_ = kind;
  if (!TakeFree(&block, bytes)) {
    block.data_ = (kind == kStaging ? device->AllocateStaging(bytes) : device->Allocate(bytes)).value();
    block.bytes_ = bytes;
    MutexLock lock(mutex_);
    NoteUse(bytes);
  }
  block.owner_ = shared_from_this();
  return block;
}

Tensor Scratch::TakeTensor(const Shape& shape, DType dtype, const DeviceId& device) {
  const std::size_t bytes = BytesOfShape(shape, dtype).value();
  const auto block = std::make_shared<Block>(Take(FindDevice(device).value(), kOnDevice, bytes));
  TensorView view;
  view.data = block->data();
  view.shape = shape;
  view.dtype = dtype;
  view.device = device;
  return Tensor::Own(view, [block] {});  // which goes with the tensor
}

bool Scratch::TakeFree(Block* block, std::size_t bytes) {
  MutexLock lock(mutex_);
  const auto found = by_size_.lower_bound(Name(block->device_, block->kind_, bytes));
  if (found == by_size_.end()) return false;
  const Free free = *found->second;
  if (free.device != block->device_ || free.kind != block->kind_ || free.bytes > LargestFor(bytes))
    return false;
  block->data_ = free.data;
  block->bytes_ = free.bytes;
  free_bytes_ -= free.bytes;
  free_.erase(found->second);
  by_size_.erase(found);
  NoteUse(free.bytes);
  return true;
}

void Scratch::NoteUse(std::size_t bytes) {
  used_bytes_ += bytes;
  most_used_bytes_ = std::max(most_used_bytes_, used_bytes_);
}

void Scratch::GiveBack(const Free& block) {
  std::list<Free> gone;
  {
    MutexLock lock(mutex_);
    used_bytes_ -= block.bytes;
    free_bytes_ += block.bytes;
    free_.push_back(block);
    by_size_.emplace(Name(block.device, block.kind, block.bytes), std::prev(free_.end()));
    while (free_bytes_ > most_used_bytes_) {
      const auto first = free_.begin();
      auto entry = by_size_.lower_bound(Name(first->device, first->kind, first->bytes));
      while (entry->second != first) ++entry;
      by_size_.erase(entry);
      free_bytes_ -= first->bytes;
      gone.splice(gone.end(), free_, first);
    }
  }
  Release(gone);
}

void Scratch::Release(const std::list<Free>& blocks) {
  for (const Free& block : blocks)
    block.kind == kStaging ? block.device->FreeStaging(block.data) : block.device->Free(block.data);
}

}  // namespace ps

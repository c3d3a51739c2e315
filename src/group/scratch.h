#ifndef PS_GROUP_SCRATCH_H_
#define PS_GROUP_SCRATCH_H_

#include <cstddef>
#include <list>
#include <map>
#include <memory>
#include <tuple>

#include "base/mutex.h"
#include "device/device.h"
#include "ps/tensor.h"

namespace ps {

// Memory of merges on any device, which is used again: allocating, and touching what is fresh, takes longer
// than many a sum (and stops a CUDA device). Of what is free as many bytes are kept as were once in use at
// the same time, what came back first goes first. Owned by a shared_ptr, because tensors may be the last to
// hold it. Any thread.
class Scratch : public std::enable_shared_from_this<Scratch> {
 public:
  // Where a block lies: on a device, or in the processor's memory for copies from and to it.
  enum Kind { kOnDevice, kStaging };
  // Given back at its end.
  class Block {
   public:
    Block(Block&& other) noexcept;
    Block& operator=(Block&&) = delete;
    ~Block();

    void* data() const { return data_; }

   private:
    friend class Scratch;
    Block() = default;

    std::shared_ptr<Scratch> owner_;
    Device* device_ = nullptr;
    Kind kind_ = kOnDevice;
    void* data_ = nullptr;
    std::size_t bytes_ = 0;
  };

  Scratch() = default;
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  // At least `bytes`, with any content. Throws Error: kResourceExhausted.
  Block Take(Device* device, Kind kind, std::size_t bytes) PS_EXCLUDES(mutex_);
  // The same as a tensor that owns it.
  Tensor TakeTensor(const Shape& shape, DType dtype, const DeviceId& device) PS_EXCLUDES(mutex_);

 private:
  struct Free {
    Device* device;
    Kind kind;
    std::size_t bytes;
    void* data;
  };
  using Name = std::tuple<Device*, Kind, std::size_t>;

  bool TakeFree(Block* block, std::size_t bytes) PS_EXCLUDES(mutex_);
  void NoteUse(std::size_t bytes) PS_REQUIRES(mutex_);
  void GiveBack(const Free& block) PS_EXCLUDES(mutex_);
  static void Release(const std::list<Free>& blocks);

  Mutex mutex_;
  std::list<Free> free_ PS_GUARDED_BY(mutex_);  // in the order they came back
  std::multimap<Name, std::list<Free>::iterator> by_size_ PS_GUARDED_BY(mutex_);
  std::size_t free_bytes_ PS_GUARDED_BY(mutex_) = 0;
  std::size_t used_bytes_ PS_GUARDED_BY(mutex_) = 0;
  std::size_t most_used_bytes_ PS_GUARDED_BY(mutex_) = 0;
};

}  // namespace ps

#endif  // PS_GROUP_SCRATCH_H_

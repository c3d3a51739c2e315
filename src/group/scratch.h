#ifndef PS_GROUP_SCRATCH_H_
#define PS_GROUP_SCRATCH_H_

#include <cstddef>
#include <vector>

#include "base/mutex.h"
#include "device/device.h"

namespace ps {

// Memory that is needed for the time of one merge, on any device, and is used again by the next: allocating
// takes longer than many a copy (and stops a CUDA device). As much is kept as was in use at the same time.
// Any thread.
class Scratch {
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

    Scratch* owner_ = nullptr;
    Device* device_ = nullptr;
    Kind kind_ = kOnDevice;
    void* data_ = nullptr;
    std::size_t bytes_ = 0;
  };

  Scratch() = default;
  // No block is in use any more.
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  // At least `bytes`, with any content. Throws Error: kResourceExhausted.
  Block Take(Device* device, Kind kind, std::size_t bytes) PS_EXCLUDES(mutex_);

 private:
  struct Free {
    Device* device;
    Kind kind;
    void* data;
    std::size_t bytes;
  };

  bool TakeFree(Block* block, std::size_t bytes) PS_EXCLUDES(mutex_);
  void GiveBack(const Free& free) PS_EXCLUDES(mutex_);

  Mutex mutex_;
  std::vector<Free> free_ PS_GUARDED_BY(mutex_);
};

}  // namespace ps

#endif  // PS_GROUP_SCRATCH_H_

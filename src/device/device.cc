#include "device/device.h"

#include <cstdlib>
#include <new>

#include "base/block_pool.h"
#include "base/copy.h"
#include "device/cpu_stream.h"

namespace ps {
namespace {

// No processor can address more: what asks for it has miscounted.
constexpr std::size_t kMostBytes = std::size_t{1} << 47;

// In front of each block, so that Free knows where it came from: its bytes in the pool; 0: it is none of it.
constexpr std::size_t kFrontBytes = BlockPool::kFrontBytes;
static_assert(kFrontBytes % Device::kAlignment == 0, "blocks stay aligned");

std::size_t* FrontOf(void* block) { return static_cast<std::size_t*>(block) - 1; }

// Large blocks are used again: the first touch of fresh memory costs more than a copy.
void* TakeBlock(std::size_t bytes) {
  if (bytes >= BlockPool::kSmallestBytes) {
    void* const block = BlockPool::Shared().Take(bytes);
    *FrontOf(block) = bytes;
    return block;
  }
  const std::size_t lines = (bytes + Device::kAlignment - 1) / Device::kAlignment * Device::kAlignment;
  void* const memory = std::aligned_alloc(Device::kAlignment, kFrontBytes + lines);
  if (memory == nullptr) throw std::bad_alloc();
  void* const block = static_cast<char*>(memory) + kFrontBytes;
  *FrontOf(block) = 0;
  return block;
}

class CpuDevice final : public Device {
 public:
  explicit CpuDevice(int index) : index_(index) {}

  DeviceId id() const override { return {DeviceId::kCpu, index_}; }

  Result<void*> Allocate(std::size_t bytes) override {
    try {
      if (bytes <= kMostBytes) return TakeBlock(bytes);
    } catch (const std::bad_alloc&) {
      // As told below.
    }
    return Status::ResourceExhausted(ToString(id()) + " has no " + std::to_string(bytes) + " bytes left");
  }
  void Free(void* memory) override {
    if (memory == nullptr) return;
    const std::size_t bytes = *FrontOf(memory);
    if (bytes != 0) return BlockPool::Shared().Give(memory, bytes);
    std::free(static_cast<char*>(memory) - kFrontBytes);
  }
  void Copy(void* to, const void* from, std::size_t bytes) override { CopyBytes(to, from, bytes); }
  Result<void*> AllocateStaging(std::size_t bytes) override { return Allocate(bytes); }
  void FreeStaging(void* memory) override { Free(memory); }
  std::unique_ptr<Stream> NewStream() override { return std::make_unique<CpuStream>(id()); }

 private:
  const int index_;
};

}  // namespace

std::unique_ptr<Device> MakeCpuDevice(int index) { return std::make_unique<CpuDevice>(index); }

std::string ToString(const DeviceId& id) {
  return (id.kind == DeviceId::kCpu ? "cpu:" : "cuda:") + std::to_string(id.index);
}

}  // namespace ps

#include "device/device.h"

#include <algorithm>
#include <cstdlib>

#include "base/copy.h"
#include "device/cpu_stream.h"

namespace ps {
namespace {

// No processor can address more: what asks for it has miscounted.
constexpr std::size_t kMostBytes = std::size_t{1} << 47;

// What aligned_alloc wants: a multiple of the alignment, and not nothing.
std::size_t WholeLines(std::size_t bytes) {
  return (std::max<std::size_t>(bytes, 1) + Device::kAlignment - 1) / Device::kAlignment * Device::kAlignment;
}

class CpuDevice final : public Device {
 public:
  explicit CpuDevice(int index) : index_(index) {}

  DeviceId id() const override { return {DeviceId::kCpu, index_}; }

  Result<void*> Allocate(std::size_t bytes) override {
    void* const memory = bytes > kMostBytes ? nullptr : std::aligned_alloc(kAlignment, WholeLines(bytes));
    if (memory == nullptr)
      return Status::ResourceExhausted(ToString(id()) + " has no " + std::to_string(bytes) + " bytes left");
    return memory;
  }
  void Free(void* memory) override { std::free(memory); }
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

#include "device/device.h"

#include <cstdlib>
#include <new>

#include "base/copy.h"

namespace ps {
namespace {

class CpuDevice final : public Device {
 public:
  explicit CpuDevice(int index) : index_(index) {}

  DeviceId id() const override { return {DeviceId::kCpu, index_}; }

  Result<void*> Allocate(std::size_t bytes) override {
    void* const memory = ::operator new (bytes, std::align_val_t{kAlignment}, std::nothrow);
    if (memory == nullptr)
      return Status::ResourceExhausted(ToString(id()) + " has no " + std::to_string(bytes) + " bytes left");
    return memory;
  }
  void Free(void* memory) override { ::operator delete (memory, std::align_val_t{kAlignment}); }
  void Copy(void* to, const void* from, std::size_t bytes) override { CopyBytes(to, from, bytes); }

 private:
  const int index_;
};

}  // namespace

std::unique_ptr<Device> MakeCpuDevice(int index) { return std::make_unique<CpuDevice>(index); }

std::string ToString(const DeviceId& id) {
  return (id.kind == DeviceId::kCpu ? "cpu:" : "cuda:") + std::to_string(id.index);
}

}  // namespace ps

// Device: memory that arrays lie in, and how it is moved.
#ifndef PS_DEVICE_DEVICE_H_
#define PS_DEVICE_DEVICE_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "ps/device_id.h"
#include "ps/status.h"
#include "ps/stream.h"

namespace ps {

// One device of this process. Any thread. What is allocated on a device is freed on it, before it goes. Calls
// are done when they return; what is to be done beside the caller goes through streams.
class Device {
 public:
  // Of every block: a cache line, and as much as any vector wants.
  static constexpr std::size_t kAlignment = 64;

  virtual ~Device() = default;

  virtual DeviceId id() const = 0;
  // `bytes` with any content; never null. kResourceExhausted names the device and the bytes.
  virtual Result<void*> Allocate(std::size_t bytes) = 0;
  // What Allocate gave; null: nothing.
  virtual void Free(void* memory) = 0;
  // Between this device and the processor's memory, in either direction, or within this device. No overlap.
  virtual void Copy(void* to, const void* from, std::size_t bytes) = 0;
  // Memory of the processor that this device copies from and to without a detour (pinned, of a CUDA device).
  virtual Result<void*> AllocateStaging(std::size_t bytes) = 0;
  virtual void FreeStaging(void* memory) = 0;
  virtual std::unique_ptr<Stream> NewStream() = 0;
  // Runs `code`, which knows of no devices, on this thread with the device as the current one, where there is
  // such a thing.
  virtual void RunCurrent(const std::function<void()>& code) { code(); }
};

// The processor's memory under the name of a device: `cpu:0`, and, for programs and tests that have several
// devices where there is none, `cpu:1` and so on.
std::unique_ptr<Device> MakeCpuDevice(int index);

}  // namespace ps

#endif  // PS_DEVICE_DEVICE_H_

#include "device/devices.h"

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "base/mutex.h"
#include "base/never_destroyed.h"
#include "device/cuda/cuda.h"

namespace ps {
namespace {

// As many names as anybody simulates devices: a larger number is a mistake.
constexpr int kMostCpuDevices = 1024;

struct Devices {
  Mutex mutex;
  std::map<std::pair<int, int>, std::unique_ptr<Device>> made PS_GUARDED_BY(mutex);  // by kind and index
};

Devices& All() {
  static NeverDestroyed<Devices> devices;
  return devices.value;
}

Result<std::unique_ptr<Device>> Make(const DeviceId& id) {
  if (id.kind == DeviceId::kCuda) {
    Result<std::unique_ptr<Device>> device = cuda::MakeDevice(id.index);
    if (device.ok()) return device;
    return Status(device.status().code(), ToString(id) + ": " + device.status().message());
  }
  if (id.kind != DeviceId::kCpu)
    return Status::InvalidArgument("no device is of kind " + std::to_string(id.kind));
  if (id.index < 0 || id.index >= kMostCpuDevices) {
    return Status::InvalidArgument(ToString(id) + ": devices of the processor have numbers from 0 to " +
                                   std::to_string(kMostCpuDevices - 1));
  }
  return MakeCpuDevice(id.index);
}

}  // namespace

Result<Device*> FindDevice(const DeviceId& id) {
  Devices& all = All();
  MutexLock lock(all.mutex);
  std::unique_ptr<Device>& place = all.made[{id.kind, id.index}];
  if (place == nullptr) {
    Result<std::unique_ptr<Device>> made = Make(id);
    if (!made.ok()) {
      all.made.erase({id.kind, id.index});
      return made.status();
    }
    place = std::move(made).value();
  }
  return place.get();
}

int NumCudaDevices() { return cuda::NumDevices(); }

}  // namespace ps

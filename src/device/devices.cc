#include "device/devices.h"

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/mutex.h"
#include "base/never_destroyed.h"
#include "device/cuda/cuda.h"
#include "ps/environment.h"

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

// The own name wins over MXNet's.
Result<bool> WantsPeers() {
  for (const char* name : {"PS_ENABLE_GPU_P2P", "MXNET_ENABLE_GPU_P2P"}) {
    const char* const text = Environment::Get()->find(name);
    if (text == nullptr || *text == '\0') continue;
    if (std::string_view(text) == "0") return false;
    if (std::string_view(text) == "1") return true;
    return Status::InvalidArgument(std::string(name) + "='" + text + "' is no switch: 0 or 1");
  }
  return true;
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

Status EnablePeers(const std::vector<DeviceId>& devices) {
  std::set<int> indices;
  for (const DeviceId& id : devices) {
    if (id.kind == DeviceId::kCuda) indices.insert(id.index);
  }
  if (indices.size() < 2) return Status::Ok();
  const Result<bool> is_wanted = WantsPeers();
  PS_RETURN_IF_ERROR(is_wanted.status());
  return is_wanted.value() ? cuda::EnablePeers({indices.begin(), indices.end()}) : Status::Ok();
}

}  // namespace ps

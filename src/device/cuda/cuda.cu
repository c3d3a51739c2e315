#include "device/cuda/cuda.h"

#include <cuda_runtime.h>

#include <string>

#include "device/cuda/cuda_device.h"

namespace ps::cuda {
namespace {

struct Found {
  Status status;
  int count = 0;
};

Found Look() {
  Found found;
  const cudaError_t error = cudaGetDeviceCount(&found.count);
  if (error == cudaSuccess && found.count > 0) return found;
  found.count = 0;
  static_cast<void>(cudaGetLastError());
  if (error == cudaErrorInsufficientDriver) {
    found.status = Status::Unavailable(
        "no CUDA driver was found, or it is older than this build needs (CUDA " +
        std::to_string(CUDART_VERSION / 1000) + "." + std::to_string(CUDART_VERSION % 1000 / 10) + ")");
  } else if (error == cudaSuccess || error == cudaErrorNoDevice) {
    found.status = Status::Unavailable("there is a CUDA driver, but no device; see CUDA_VISIBLE_DEVICES");
  } else {
    found.status = Status::Unavailable(std::string("the CUDA driver fails: ") + cudaGetErrorString(error));
  }
  return found;
}

const Found& LookOnce() {
  static const Found found = Look();
  return found;
}

}  // namespace

bool IsBuilt() { return true; }
Status Available() { return LookOnce().status; }
int NumDevices() { return LookOnce().count; }

std::string Describe(int index) {
  cudaDeviceProp properties = {};
  int driver = 0;
  if (cudaGetDeviceProperties(&properties, index) != cudaSuccess ||
      cudaDriverGetVersion(&driver) != cudaSuccess)
    return ToString(DeviceId::Cuda(index));
  return std::string(properties.name) + ", compute capability " + std::to_string(properties.major) + "." +
         std::to_string(properties.minor) + ", " + std::to_string(properties.totalGlobalMem >> 20) +
         " MiB, driver for CUDA " + std::to_string(driver / 1000) + "." + std::to_string(driver % 1000 / 10) +
         ", runtime " + std::to_string(CUDART_VERSION / 1000) + "." +
         std::to_string(CUDART_VERSION % 1000 / 10);
}

Result<std::unique_ptr<Device>> MakeDevice(int index) {
  PS_RETURN_IF_ERROR(Available());
  if (index < 0 || index >= NumDevices())
    return Status::Unavailable("there are " + std::to_string(NumDevices()) + " CUDA devices");
  return CudaDevice::Make(index);
}

}  // namespace ps::cuda

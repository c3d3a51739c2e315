// The library without CUDA: left out where nvcc builds device/cuda/.
#include "device/cuda/cuda.h"

namespace ps::cuda {

bool IsBuilt() { return false; }

Status Available() {
  return Status::Unavailable(
      "this library was built without CUDA; build it with USE_CUDA=1 and nvcc on the PATH, or below "
      "USE_CUDA_PATH");
}

int NumDevices() { return 0; }

Result<std::unique_ptr<Device>> MakeDevice(int) { return Available(); }

}  // namespace ps::cuda

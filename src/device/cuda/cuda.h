// What the rest of the layer asks of CUDA. No CUDA header is behind it: device/cuda/*.cu implement it where
// nvcc builds them, device/no_cuda.cc elsewhere.
#ifndef PS_DEVICE_CUDA_CUDA_H_
#define PS_DEVICE_CUDA_CUDA_H_

#include <memory>

#include "device/device.h"

namespace ps::cuda {

// Whether this build has CUDA.
bool IsBuilt();
// Ok when there is a device that can be used; else kUnavailable: support in this build, a driver, or any
// device is missing. Asked for once.
Status Available();
// 0 unless Available.
int NumDevices();
// kUnavailable: not Available, or there is no device of this number.
Result<std::unique_ptr<Device>> MakeDevice(int index);

}  // namespace ps::cuda

#endif  // PS_DEVICE_CUDA_CUDA_H_

#ifndef PS_DEVICE_DEVICES_H_
#define PS_DEVICE_DEVICES_H_

#include "device/device.h"

namespace ps {

// The device of this process with that name; made when it is first asked for, and never destroyed.
// kUnavailable for CUDA says what is missing: support in this build, a driver, or a device of that number.
// Any thread.
Result<Device*> FindDevice(const DeviceId& id);
// CUDA devices that can be used; 0 without a driver, or in a build without CUDA.
int NumCudaDevices();

}  // namespace ps

#endif  // PS_DEVICE_DEVICES_H_

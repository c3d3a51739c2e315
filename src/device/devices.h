#ifndef PS_DEVICE_DEVICES_H_
#define PS_DEVICE_DEVICES_H_

#include <vector>

#include "device/device.h"

namespace ps {

// The device of this process with that name; made when it is first asked for, and never destroyed.
// kUnavailable for CUDA says what is missing: support in this build, a driver, or a device of that number.
// Any thread.
Result<Device*> FindDevice(const DeviceId& id);
// CUDA devices that can be used; 0 without a driver, or in a build without CUDA.
int NumCudaDevices();
// Lets CUDA devices use each other's memory directly, where the driver allows it. When it does not for all of
// their ordered pairs, one warning of the process says which: then copies between them go through the
// processor's memory. Nothing to do for devices of the processor, and with PS_ENABLE_GPU_P2P=0 (or
// MXNET_ENABLE_GPU_P2P=0). Before the first work that moves arrays between them; again is no harm. Any
// thread.
Status EnablePeers(const std::vector<DeviceId>& devices);

}  // namespace ps

#endif  // PS_DEVICE_DEVICES_H_

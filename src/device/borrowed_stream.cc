#include "ps/borrowed_stream.h"

#include "device/cuda/borrow.h"
#include "device/devices.h"
#include "ps/status.h"

namespace ps {

std::unique_ptr<Stream> BorrowStream(const DeviceId& device, void* native) {
  Device* const found = FindDevice(device).value();
  if (device.kind == DeviceId::kCuda) return cuda::BorrowStream(found, native).value();
  if (native != nullptr)
    ThrowIfError(Status::InvalidArgument(ToString(device) + " has no streams that a program could lend"));
  return found->NewStream();
}

}  // namespace ps

#include "device/cuda/borrow.h"

#include <utility>

#include "device/cuda/cuda_device.h"
#include "device/cuda/cuda_stream.h"

namespace ps::cuda {

Result<std::unique_ptr<Stream>> BorrowStream(Device* device, void* native) {
  auto* const owner = static_cast<CudaDevice*>(device);
  std::unique_ptr<Stream> stream =
      CudaStream::Borrow(owner->id().index, owner->pool(), static_cast<cudaStream_t>(native));
  if (stream == nullptr)
    return Status::ResourceExhausted(ToString(owner->id()) + ": no memory to use another stream with");
  return Result<std::unique_ptr<Stream>>(std::move(stream));
}

}  // namespace ps::cuda

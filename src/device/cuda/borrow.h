// What BorrowStream asks of CUDA; as device/cuda/cuda.h is.
#ifndef PS_DEVICE_CUDA_BORROW_H_
#define PS_DEVICE_CUDA_BORROW_H_

#include <memory>

#include "device/device.h"

namespace ps::cuda {

// `device` is one of CUDA's. kResourceExhausted.
Result<std::unique_ptr<Stream>> BorrowStream(Device* device, void* native);

}  // namespace ps::cuda

#endif  // PS_DEVICE_CUDA_BORROW_H_

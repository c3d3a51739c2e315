// The current CUDA device of the thread, and CUDA's errors as Status.
#ifndef PS_DEVICE_CUDA_ON_DEVICE_H_
#define PS_DEVICE_CUDA_ON_DEVICE_H_

#include <cuda_runtime.h>

#include <string>

#include "ps/device_id.h"
#include "ps/status.h"

namespace ps::cuda {

// The thread works on device `index` for as long as this lives; then again on the one before, which belongs
// to the program.
class OnDevice {
 public:
  explicit OnDevice(int index) {
    if (cudaGetDevice(&before_) != cudaSuccess) before_ = index;
    if (before_ != index) cudaSetDevice(index);
    index_ = index;
  }
  ~OnDevice() {
    if (before_ != index_) cudaSetDevice(before_);
  }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;

 private:
  int before_ = 0;
  int index_ = 0;
};

// "cuda:0: a kernel: an illegal memory access was encountered". CUDA keeps a copy of the error, which is
// taken away, so that nobody else finds it.
inline Status StatusOf(int device, cudaError_t error, const char* what) {
  if (error == cudaSuccess) return Status::Ok();
  static_cast<void>(cudaGetLastError());
  const std::string text = ToString(DeviceId::Cuda(device)) + ": " + what + ": " + cudaGetErrorString(error);
  return error == cudaErrorMemoryAllocation ? Status::ResourceExhausted(text) : Status::Internal(text);
}

}  // namespace ps::cuda

#endif  // PS_DEVICE_CUDA_ON_DEVICE_H_

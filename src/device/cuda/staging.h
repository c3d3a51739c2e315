#ifndef PS_DEVICE_CUDA_STAGING_H_
#define PS_DEVICE_CUDA_STAGING_H_

#include <cuda_runtime.h>

#include <array>
#include <cstddef>

namespace ps::cuda {

// Copies between a device and pageable memory, through two pinned buffers: one is filled or emptied by the
// processor while the device works on the other. One thread at a time.
class Staging {
 public:
  static constexpr std::size_t kBufferBytes = std::size_t{4} << 20;

  explicit Staging(int device) : device_(device) {}
  ~Staging();
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  // Done when they return.
  cudaError_t ToDevice(void* to, const void* from, std::size_t bytes);
  cudaError_t FromDevice(void* to, const void* from, std::size_t bytes);

 private:
  struct Buffer {
    void* memory = nullptr;
    cudaEvent_t copied = nullptr;  // what the device was last asked to do with it
  };

  // At the first use.
  cudaError_t Prepare();
  cudaError_t Start(Buffer* buffer, void* to, const void* from, std::size_t bytes);

  const int device_;
  cudaStream_t stream_ = nullptr;
  std::array<Buffer, 2> buffers_;
};

}  // namespace ps::cuda

#endif  // PS_DEVICE_CUDA_STAGING_H_

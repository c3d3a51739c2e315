#ifndef PS_DEVICE_CUDA_CUDA_DEVICE_H_
#define PS_DEVICE_CUDA_CUDA_DEVICE_H_

#include <cuda_runtime.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "device/device.h"

namespace ps::cuda {

// Memory comes from a pool of the driver's, which keeps what is freed: getting it again costs neither a
// system call nor a wait for the device, as cudaMalloc and cudaFree may.
class CudaDevice final : public Device {
 public:
  // kUnavailable: too old a device or driver.
  static Result<std::unique_ptr<Device>> Make(int index);
  ~CudaDevice() override;

  DeviceId id() const override { return DeviceId::Cuda(index_); }
  Result<void*> Allocate(std::size_t bytes) override;
  // Who frees memory is done with it on all streams.
  void Free(void* memory) override;
  void Copy(void* to, const void* from, std::size_t bytes) override;
  Result<void*> AllocateStaging(std::size_t bytes) override;
  void FreeStaging(void* memory) override;
  std::unique_ptr<Stream> NewStream() override;
  void RunCurrent(const std::function<void()>& code) override;

  cudaMemPool_t pool() const { return pool_; }

 private:
  explicit CudaDevice(int index) : index_(index) {}
  Status Open();
  Status Attribute(cudaDeviceAttr attribute, int* value) const;
  Status OpenPool();
  // For the message of who gets nothing.
  std::string Left() const;

  const int index_;
  cudaMemPool_t pool_ = nullptr;
  cudaStream_t stream_ = nullptr;  // of allocations and of copies that the caller waits for
};

}  // namespace ps::cuda

#endif  // PS_DEVICE_CUDA_CUDA_DEVICE_H_

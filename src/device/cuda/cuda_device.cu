#include "device/cuda/cuda_device.h"

#include <cstdint>
#include <limits>
#include <string>

#include "device/cuda/cuda_stream.h"
#include "device/cuda/on_device.h"

namespace ps::cuda {
namespace {

// The oldest processors that the kernels are compiled for.
constexpr int kLeastMajor = 8;
// No device has more: what asks for it has miscounted.
constexpr std::size_t kMostBytes = std::size_t{1} << 47;

}  // namespace

Result<std::unique_ptr<Device>> CudaDevice::Make(int index) {
  auto device = std::unique_ptr<CudaDevice>(new CudaDevice(index));
  PS_RETURN_IF_ERROR(device->Open());
  return std::unique_ptr<Device>(std::move(device));
}

CudaDevice::~CudaDevice() {
  const OnDevice on(index_);
  if (stream_ != nullptr) cudaStreamDestroy(stream_);
  if (pool_ != nullptr) cudaMemPoolDestroy(pool_);
}

Result<void*> CudaDevice::Allocate(std::size_t bytes) {
  if (bytes > kMostBytes)
    return Status::ResourceExhausted(ToString(id()) + " has no " + std::to_string(bytes) + " bytes");
  const OnDevice on(index_);
  void* memory = nullptr;
  cudaError_t error = cudaMallocFromPoolAsync(&memory, bytes == 0 ? 1 : bytes, pool_, stream_);
  if (error == cudaSuccess) error = cudaStreamSynchronize(stream_);
  if (error == cudaSuccess) return memory;
  const std::string what = std::to_string(bytes) + " bytes" + Left();
  return StatusOf(index_, error, what.c_str());
}

void CudaDevice::Free(void* memory) {
  const OnDevice on(index_);
  if (memory != nullptr) cudaFreeAsync(memory, stream_);
}

void CudaDevice::Copy(void* to, const void* from, std::size_t bytes) {
  if (bytes == 0) return;
  const OnDevice on(index_);
  cudaError_t error = cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream_);
  if (error == cudaSuccess) error = cudaStreamSynchronize(stream_);
  ThrowIfError(StatusOf(index_, error, "a copy"));
}

Result<void*> CudaDevice::AllocateStaging(std::size_t bytes) {
  const OnDevice on(index_);
  void* memory = nullptr;
  const cudaError_t error = cudaHostAlloc(&memory, bytes == 0 ? 1 : bytes, cudaHostAllocPortable);
  if (error == cudaSuccess) return memory;
  const std::string what = std::to_string(bytes) + " bytes of pinned memory";
  return StatusOf(index_, error, what.c_str());
}

void CudaDevice::FreeStaging(void* memory) {
  const OnDevice on(index_);
  if (memory != nullptr) cudaFreeHost(memory);
}

std::unique_ptr<Stream> CudaDevice::NewStream() {
  std::unique_ptr<CudaStream> stream = CudaStream::Make(index_, pool_);
  if (stream == nullptr)
    throw Error(Status::ResourceExhausted(ToString(id()) + ": CUDA can not make another stream"));
  return stream;
}

void CudaDevice::RunCurrent(const std::function<void()>& code) {
  const OnDevice on_device(index_);
  code();
}

Status CudaDevice::Open() {
  const OnDevice on(index_);
  int major = 0;
  int has_pools = 0;
  PS_RETURN_IF_ERROR(Attribute(cudaDevAttrComputeCapabilityMajor, &major));
  PS_RETURN_IF_ERROR(Attribute(cudaDevAttrMemoryPoolsSupported, &has_pools));
  if (major < kLeastMajor) {
    return Status::Unavailable("its compute capability is " + std::to_string(major) + ".x, the least is " +
                               std::to_string(kLeastMajor) + ".0");
  }
  if (has_pools == 0 || FindWaitValue() == nullptr)
    return Status::Unavailable(
        "its driver has no memory pools or no stream memory operations; use a newer one");
  return OpenPool();
}

Status CudaDevice::Attribute(cudaDeviceAttr attribute, int* value) const {
  const Status status = StatusOf(index_, cudaDeviceGetAttribute(value, attribute, index_), "its properties");
  return status.ok() ? status : Status::Unavailable(status.message());
}

Status CudaDevice::OpenPool() {
  cudaMemPoolProps properties = {};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location.type = cudaMemLocationTypeDevice;
  properties.location.id = index_;
  PS_RETURN_IF_ERROR(StatusOf(index_, cudaMemPoolCreate(&pool_, &properties), "a pool of memory"));
  std::uint64_t keep = std::numeric_limits<std::uint64_t>::max();
  PS_RETURN_IF_ERROR(StatusOf(index_, cudaMemPoolSetAttribute(pool_, cudaMemPoolAttrReleaseThreshold, &keep),
                              "a pool of memory"));
  return StatusOf(index_, cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "a stream");
}

std::string CudaDevice::Left() const {
  std::size_t free = 0;
  std::size_t total = 0;
  if (cudaMemGetInfo(&free, &total) != cudaSuccess) return "";
  return ", with " + std::to_string(free) + " of " + std::to_string(total) + " free";
}

}  // namespace ps::cuda

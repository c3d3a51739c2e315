#include "device/cuda/staging.h"

#include <algorithm>

#include "base/copy.h"
#include "device/cuda/on_device.h"

namespace ps::cuda {
namespace {

// Returns the error of a call, if it is one, from the enclosing function.
#define PS_RETURN_IF_CUDA_ERROR(call)               \
  do {                                              \
    const cudaError_t ps_error_ = (call);           \
    if (ps_error_ != cudaSuccess) return ps_error_; \
  } while (false)

const char* At(const void* memory, std::size_t at) { return static_cast<const char*>(memory) + at; }
char* At(void* memory, std::size_t at) { return static_cast<char*>(memory) + at; }

}  // namespace

Staging::~Staging() {
  const OnDevice on(device_);
  if (stream_ != nullptr) cudaStreamSynchronize(stream_);
  for (Buffer& buffer : buffers_) {
    if (buffer.copied != nullptr) cudaEventDestroy(buffer.copied);
    if (buffer.memory != nullptr) cudaFreeHost(buffer.memory);
  }
  if (stream_ != nullptr) cudaStreamDestroy(stream_);
}

cudaError_t Staging::Prepare() {
  if (stream_ == nullptr) PS_RETURN_IF_CUDA_ERROR(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
  for (Buffer& buffer : buffers_) {
    if (buffer.memory == nullptr)
      PS_RETURN_IF_CUDA_ERROR(cudaHostAlloc(&buffer.memory, kBufferBytes, cudaHostAllocPortable));
    if (buffer.copied == nullptr) {
      PS_RETURN_IF_CUDA_ERROR(
          cudaEventCreateWithFlags(&buffer.copied, cudaEventDisableTiming | cudaEventBlockingSync));
    }
  }
  return cudaSuccess;
}

cudaError_t Staging::Start(Buffer* buffer, void* to, const void* from, std::size_t bytes) {
  PS_RETURN_IF_CUDA_ERROR(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream_));
  return cudaEventRecord(buffer->copied, stream_);
}

cudaError_t Staging::ToDevice(void* to, const void* from, std::size_t bytes) {
  const OnDevice on(device_);
  PS_RETURN_IF_CUDA_ERROR(Prepare());
  std::size_t turn = 0;
  for (std::size_t at = 0; at < bytes; at += kBufferBytes, ++turn) {
    Buffer& buffer = buffers_[turn % 2];
    const std::size_t size = std::min(kBufferBytes, bytes - at);
    PS_RETURN_IF_CUDA_ERROR(cudaEventSynchronize(buffer.copied));
    CopyBytes(buffer.memory, At(from, at), size);
    PS_RETURN_IF_CUDA_ERROR(Start(&buffer, At(to, at), buffer.memory, size));
  }
  return cudaStreamSynchronize(stream_);
}

cudaError_t Staging::FromDevice(void* to, const void* from, std::size_t bytes) {
  const OnDevice on(device_);
  PS_RETURN_IF_CUDA_ERROR(Prepare());
  const std::size_t turns = (bytes + kBufferBytes - 1) / kBufferBytes;
  const auto size_of = [&](std::size_t turn) { return std::min(kBufferBytes, bytes - turn * kBufferBytes); };
  // One buffer is asked for ahead of the one that is emptied.
  for (std::size_t turn = 0; turn <= turns; ++turn) {
    if (turn < turns) {
      Buffer& buffer = buffers_[turn % 2];
      PS_RETURN_IF_CUDA_ERROR(Start(&buffer, buffer.memory, At(from, turn * kBufferBytes), size_of(turn)));
    }
    if (turn == 0) continue;
    Buffer& filled = buffers_[(turn - 1) % 2];
    PS_RETURN_IF_CUDA_ERROR(cudaEventSynchronize(filled.copied));
    CopyBytes(At(to, (turn - 1) * kBufferBytes), filled.memory, size_of(turn - 1));
  }
  return cudaSuccess;
}

}  // namespace ps::cuda

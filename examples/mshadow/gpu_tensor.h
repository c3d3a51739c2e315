// The tensors of tensor.h on GPUs; for nvcc.
#ifndef PS_EXAMPLES_MSHADOW_GPU_TENSOR_H_
#define PS_EXAMPLES_MSHADOW_GPU_TENSOR_H_

#include <cstddef>
#include <stdexcept>
#include <string>

#include "examples/mshadow/tensor.h"

namespace mshadow {

struct gpu {
  static constexpr bool kDevCPU = false;
};

inline void CheckCuda(cudaError_t error, const char* what) {
  if (error != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(error));
}

template <>
struct DeviceMemory<gpu> {
  static void SetDevice(int device) { CheckCuda(cudaSetDevice(device), "cudaSetDevice"); }
  static void* Allocate(std::size_t bytes) {
    void* memory = nullptr;
    CheckCuda(cudaMalloc(&memory, bytes), "cudaMalloc");
    return memory;
  }
  static void Free(void* memory) { cudaFree(memory); }
  static void FromHost(void* to, const void* from, std::size_t bytes) {
    CheckCuda(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice), "a copy to the GPU");
  }
  static void ToHost(void* to, const void* from, std::size_t bytes) {
    CheckCuda(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost), "a copy from the GPU");
  }
};

template <>
struct Stream<gpu> {
  cudaStream_t stream_ = nullptr;
  void Wait() { CheckCuda(cudaStreamSynchronize(stream_), "a stream"); }
};
template <>
inline Stream<gpu>* NewStream<gpu>() {
  auto* const stream = new Stream<gpu>();
  CheckCuda(cudaStreamCreate(&stream->stream_), "cudaStreamCreate");
  return stream;
}
template <>
inline void DeleteStream<gpu>(Stream<gpu>* stream) {
  cudaStreamDestroy(stream->stream_);
  delete stream;
}

// Whether there is one that can be used.
inline bool HasGpu() {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess && count > 0;
}

}  // namespace mshadow

#endif  // PS_EXAMPLES_MSHADOW_GPU_TENSOR_H_

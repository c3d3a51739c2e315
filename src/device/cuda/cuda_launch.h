// CUDA's launcher: goes over arrays on a stream. The same interface as CpuLaunch (device/cpu_launch.h), the
// same functors; nvcc compiles them without fused operations (-fmad=false), which gives the processor's bits.
#ifndef PS_DEVICE_CUDA_CUDA_LAUNCH_H_
#define PS_DEVICE_CUDA_CUDA_LAUNCH_H_

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "device/cuda/cuda_stream.h"
#include "device/cuda/on_device.h"
#include "device/kernels.h"
#include "device/pack_bits.h"
#include "device/row_plan.h"
#include "device/rules/bits.h"
#include "ps/status.h"

namespace ps::cuda {

constexpr unsigned kThreads = 256;  // of a block: whole warps

// Each thread takes every (threads of the grid)-th index.
__device__ inline std::size_t FirstIndex() {
  return blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
}
__device__ inline std::size_t Stride() { return gridDim.x * static_cast<std::size_t>(blockDim.x); }

template <typename F, typename... T>
__global__ void __launch_bounds__(kThreads) ElementsKernel(std::size_t size, F f, T* __restrict__... arrays) {
#pragma unroll 4
  for (std::size_t i = FirstIndex(); i < size; i += Stride()) f(arrays[i]...);
}

// One index per element, so that neighbours read neighbours.
template <typename F, typename Placed, typename Listed>
__global__ void __launch_bounds__(kThreads)
    RowsKernel(RowPlan plan, F f, Placed* __restrict__ placed, Listed* __restrict__ listed) {
  const std::size_t size = plan.count * plan.width;
  for (std::size_t i = FirstIndex(); i < size; i += Stride()) {
    const std::size_t row = i / plan.width;
    const std::size_t place = static_cast<std::size_t>(plan.ids[row]) * plan.width + (i - row * plan.width);
    f(placed[place], listed[i]);
  }
}

// A thread per element; the threads of a word (16 or 32, neighbours in a warp) put their codes together.
// `size` is rounded up to whole warps, so that all threads of a warp take part.
template <typename Rule>
__global__ void __launch_bounds__(kThreads)
    EncodeKernel(Rule rule, std::size_t count, const float* __restrict__ gradient,
                 float* __restrict__ residual, std::uint32_t* __restrict__ words,
                 unsigned long long* num_refused) {
  using Place = rules::BitPlace<Rule::kBits>;
  constexpr unsigned kWarp = 32;
  constexpr unsigned kAll = 0xffffffffU;
  const std::size_t size = (count + kWarp - 1) / kWarp * kWarp;
  for (std::size_t i = FirstIndex(); i < size; i += Stride()) {
    std::uint8_t code = 0;
    std::uint8_t refused = 0;
    if (i < count) rule(code, refused, residual[i], gradient[i]);
    const int in_word = static_cast<int>(i % Place::kPerWord);
    const int byte = in_word / Place::kPerByte;
    std::uint32_t word = static_cast<std::uint32_t>(code)
                         << (8 * byte + Place::Shift(in_word % Place::kPerByte));
#pragma unroll
    for (int distance = Place::kPerWord / 2; distance > 0; distance /= 2)
      word |= __shfl_xor_sync(kAll, word, distance);
    if (in_word == 0 && i < count) words[i / Place::kPerWord] = word;
    const unsigned refusing = __ballot_sync(kAll, refused != 0);
    if (refusing != 0 && i % kWarp == 0)
      atomicAdd(num_refused, static_cast<unsigned long long>(__popc(refusing)));
  }
}

template <typename Rule>
__global__ void __launch_bounds__(kThreads)
    DecodeAddKernel(rules::AddDecoded<Rule> add, std::size_t count, const std::uint8_t* __restrict__ codes,
                    float* __restrict__ values) {
  using Place = rules::BitPlace<Rule::kBits>;
  for (std::size_t i = FirstIndex(); i < count; i += Stride()) {
    const int in_byte = static_cast<int>(i % Place::kPerByte);
    add(values[i],
        static_cast<std::uint8_t>(codes[i / Place::kPerByte] >> Place::Shift(in_byte) & Place::kMask));
  }
}

class CudaLaunch {
 public:
  // A stream of a CudaDevice.
  explicit CudaLaunch(Stream* stream) : stream_(static_cast<CudaStream*>(stream)) {}

  template <typename F, typename... T>
  Status Elements(std::size_t size, const F& f, T*... arrays) const {
    return Run(size, [&](unsigned blocks, cudaStream_t stream) {
      ElementsKernel<<<blocks, kThreads, 0, stream>>>(size, f, arrays...);
    });
  }
  // Ids are not looked at.
  template <typename F, typename Placed, typename Listed>
  Status Rows(const RowPlan& plan, const F& f, Placed* placed, Listed* listed) const {
    return Run(plan.count * plan.width, [&](unsigned blocks, cudaStream_t stream) {
      RowsKernel<<<blocks, kThreads, 0, stream>>>(plan, f, placed, listed);
    });
  }
  template <typename Rule>
  Status Encode(const Rule& rule, std::size_t count, const float* gradient, float* residual,
                const BitOutput& to) const {
    const OnDevice on(stream_->device().index);
    const Scratch counter(stream_, sizeof(unsigned long long));
    if (!counter.ok()) return Status::Ok();  // the stream has it
    stream_->Note(cudaMemsetAsync(counter.data(), 0, counter.bytes(), stream_->stream()),
                  "a count of values");
    const rules::FiniteOnly<Rule> checked{rule};
    PS_RETURN_IF_ERROR(Run(count, [&](unsigned blocks, cudaStream_t stream) {
      EncodeKernel<<<blocks, kThreads, 0, stream>>>(checked, count, gradient, residual,
                                                    reinterpret_cast<std::uint32_t*>(to.codes),
                                                    static_cast<unsigned long long*>(counter.data()));
    }));
    stream_->Copy(to.num_refused, counter.data(), counter.bytes());
    return Status::Ok();
  }
  template <typename Rule>
  Status DecodeAdd(const Rule& rule, std::size_t count, const std::uint8_t* codes, float* values) const {
    return Run(count, [&](unsigned blocks, cudaStream_t stream) {
      DecodeAddKernel<Rule><<<blocks, kThreads, 0, stream>>>({rule}, count, codes, values);
    });
  }

 private:
  // A grid as large as the device can hold several times over, at most: threads go on with later indexes.
  static constexpr std::size_t kMostBlocks = 132 * 8 * 8;

  // What fails is a failure of the stream, as everything that is done on it.
  template <typename Launch>
  Status Run(std::size_t size, const Launch& launch) const {
    if (size == 0) return Status::Ok();
    const OnDevice on(stream_->device().index);
    launch(static_cast<unsigned>(std::min((size + kThreads - 1) / kThreads, kMostBlocks)), stream_->stream());
    stream_->Note(cudaGetLastError(), "a kernel");
    return Status::Ok();
  }

  CudaStream* const stream_;
};

}  // namespace ps::cuda

#endif  // PS_DEVICE_CUDA_CUDA_LAUNCH_H_

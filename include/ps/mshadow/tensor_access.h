// What is asked of a program's tensors, and how its types are known.
#ifndef PS_MSHADOW_TENSOR_ACCESS_H_
#define PS_MSHADOW_TENSOR_ACCESS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "ps/device_id.h"
#include "ps/dtype_of.h"
#include "ps/stream.h"
#include "ps/tensor.h"

// The program's own; mshadow's where it has that. Only named here, so that its header may come before or
// after.
namespace mshadow {
template <typename Device>
struct Stream;
template <typename Device, int dimension, typename DType>
struct Tensor;
struct cpu;
}  // namespace mshadow

namespace mshadow::ps {

// The number of dimensions of a type of shapes: S::kDimension, or the length of an array. A program
// with others says it by a specialisation.
template <typename S, typename = void>
struct NumDimensions;
template <typename S>
struct NumDimensions<S, std::void_t<decltype(S::kDimension)>> : std::integral_constant<int, S::kDimension> {};
template <typename T, std::size_t N>
struct NumDimensions<T[N]> : std::integral_constant<int, static_cast<int>(N)> {};
template <typename T, std::size_t N>
struct NumDimensions<std::array<T, N>> : std::integral_constant<int, static_cast<int>(N)> {};

namespace internal {

template <typename T, typename = void>
struct IsComplete : std::false_type {};
template <typename T>
struct IsComplete<T, std::void_t<decltype(sizeof(T))>> : std::true_type {};

// Streams of GPUs have their cudaStream_t in `stream_`, those of the processor have nothing.
template <typename S, typename = void>
struct HasNative : std::false_type {};
template <typename S>
struct HasNative<S, std::void_t<decltype(std::declval<S&>().stream_)>> : std::true_type {};

template <typename S>
void* NativeOf(const S* stream) {
  if constexpr (HasNative<S>::value) {
    return stream->stream_;
  } else {
    static_cast<void>(stream);
    return nullptr;
  }
}

template <typename S>
::ps::Shape ShapeOf(const S& shape) {
  ::ps::Shape lengths;
  for (int i = 0; i < NumDimensions<S>::value; ++i)
    lengths.push_back(static_cast<std::int64_t>(shape[static_cast<std::size_t>(i)]));
  return lengths;
}

// A tensor as mshadow flattens it: the last dimension, and all others.
struct Rows {
  char* data = nullptr;
  std::int64_t num_rows = 1;
  std::int64_t num_columns = 1;
  std::int64_t stride = 1;  // elements from one row to the next
  ::ps::DType dtype = ::ps::DType::kF32;
  ::ps::DeviceId device;

  bool is_compact() const { return num_rows <= 1 || stride == num_columns; }
  std::size_t row_bytes() const { return static_cast<std::size_t>(num_columns) * ::ps::SizeOf(dtype); }
  char* row(std::int64_t i) const {
    return data + static_cast<std::size_t>(i * stride) * ::ps::SizeOf(dtype);
  }
  // Of compact ones.
  ::ps::TensorView View(::ps::Stream* stream) const {
    return {data, {num_rows, num_columns}, dtype, device, stream};
  }
};

// `xpu` says the kind of the device, and only GPUs are told apart: the processor's memory is the same for
// all of its devices, whatever they are called.
template <typename xpu>
::ps::DeviceId DeviceOf(int devid) {
  return xpu::kDevCPU ? ::ps::DeviceId::Cpu() : ::ps::DeviceId::Cuda(devid);
}

template <typename xpu, typename DType, typename TensorT>
Rows RowsOf(const TensorT& data, int devid) {
  using Element = std::remove_cv_t<std::remove_pointer_t<std::remove_reference_t<decltype(data.dptr_)>>>;
  static_assert(std::is_same_v<Element, DType>, "a model has tensors of its own element type");
  Rows rows;
  rows.data = reinterpret_cast<char*>(const_cast<Element*>(data.dptr_));
  for (const std::int64_t length : ShapeOf(data.shape_)) {
    rows.num_rows *= rows.num_columns;
    rows.num_columns = length;
  }
  rows.stride = static_cast<std::int64_t>(data.stride_);
  rows.dtype = ::ps::DTypeOf<DType>::value;
  rows.device = DeviceOf<xpu>(devid);
  return rows;
}

}  // namespace internal
}  // namespace mshadow::ps

#endif  // PS_MSHADOW_TENSOR_ACCESS_H_

// The tensors of the programs here that are in mshadow-ps' shape: of mshadow's names and members as much as
// they need. A program that has mshadow includes its tensor.h instead.
#ifndef PS_EXAMPLES_MSHADOW_TENSOR_H_
#define PS_EXAMPLES_MSHADOW_TENSOR_H_

#include <array>
#include <cstddef>
#include <cstring>
#include <memory>
#include <vector>

namespace mshadow {

using index_t = unsigned;

struct cpu {
  static constexpr bool kDevCPU = true;
};

// Memory and current device of a kind of devices.
template <typename Device>
struct DeviceMemory;
template <>
struct DeviceMemory<cpu> {
  static void SetDevice(int /*device*/) {}
  static void* Allocate(std::size_t bytes) { return ::operator new(bytes); }
  static void Free(void* memory) { ::operator delete(memory); }
  // Done when they return.
  static void FromHost(void* to, const void* from, std::size_t bytes) { std::memcpy(to, from, bytes); }
  static void ToHost(void* to, const void* from, std::size_t bytes) { std::memcpy(to, from, bytes); }
};

template <typename Device>
struct Stream;
template <>
struct Stream<cpu> {
  void Wait() {}
};
template <typename Device>
Stream<Device>* NewStream() {
  return new Stream<Device>();
}
template <typename Device>
void DeleteStream(Stream<Device>* stream) {
  delete stream;
}
template <typename Device>
void SetDevice(int device) {
  DeviceMemory<Device>::SetDevice(device);
}

template <int dimension>
struct Shape {
  static constexpr int kDimension = dimension;
  std::array<index_t, static_cast<std::size_t>(dimension)> shape_;

  index_t& operator[](std::size_t i) { return shape_[i]; }
  const index_t& operator[](std::size_t i) const { return shape_[i]; }
};
inline Shape<1> Shape1(index_t a) { return {{a}}; }
inline Shape<2> Shape2(index_t a, index_t b) { return {{a, b}}; }

// Borrows its memory. Of the last dimension `stride_` elements are there, of which some may be padding.
template <typename Device, int dimension, typename DType = float>
struct Tensor {
  DType* dptr_ = nullptr;
  Shape<dimension> shape_{};
  index_t stride_ = 0;
  Stream<Device>* stream_ = nullptr;

  index_t size(std::size_t i) const { return shape_[i]; }
  void set_stream(Stream<Device>* stream) { stream_ = stream; }
  // Rows, all dimensions but the last taken together.
  std::size_t num_rows() const {
    std::size_t rows = 1;
    for (std::size_t i = 0; i + 1 < dimension; ++i) rows *= shape_[i];
    return rows;
  }
  index_t num_columns() const { return shape_[dimension - 1]; }
  Tensor<Device, dimension - 1, DType> operator[](index_t i) const {
    static_assert(dimension > 1, "elements of vectors are in dptr_");
    Tensor<Device, dimension - 1, DType> part;
    for (std::size_t d = 1; d < dimension; ++d) part.shape_[d - 1] = shape_[d];
    part.dptr_ = dptr_ + i * part.num_rows() * stride_;
    part.stride_ = stride_;
    part.stream_ = stream_;
    return part;
  }
  // All elements, row by row without padding, and back; done when they return.
  std::vector<DType> Values() const {
    std::vector<DType> values(num_rows() * num_columns());
    for (std::size_t row = 0; row < num_rows(); ++row)
      DeviceMemory<Device>::ToHost(values.data() + row * num_columns(), dptr_ + row * stride_,
                                   num_columns() * sizeof(DType));
    return values;
  }
  void SetValues(const std::vector<DType>& values) const {
    for (std::size_t row = 0; row < num_rows(); ++row)
      DeviceMemory<Device>::FromHost(dptr_ + row * stride_, values.data() + row * num_columns(),
                                     num_columns() * sizeof(DType));
  }
  // Of all elements.
  Tensor& operator=(DType value) {
    SetValues(std::vector<DType>(num_rows() * num_columns(), value));
    return *this;
  }
};

// Has memory of its own, on the current device; with `pad` rows begin at multiples of kPad elements.
template <typename Device, int dimension, typename DType = float>
class TensorContainer : public Tensor<Device, dimension, DType> {
 public:
  static constexpr index_t kPad = 8;

  explicit TensorContainer(const Shape<dimension>& shape, bool pad = true) {
    this->shape_ = shape;
    const index_t columns = this->num_columns();
    this->stride_ = pad && dimension > 1 ? (columns + kPad - 1) / kPad * kPad : columns;
    memory_.reset(DeviceMemory<Device>::Allocate(this->num_rows() * this->stride_ * sizeof(DType)));
    this->dptr_ = static_cast<DType*>(memory_.get());
    *this = DType(0);
  }
  TensorContainer& operator=(DType value) {
    Tensor<Device, dimension, DType>::operator=(value);
    return *this;
  }

 private:
  struct Free {
    void operator()(void* memory) const { DeviceMemory<Device>::Free(memory); }
  };
  std::unique_ptr<void, Free> memory_;
};

}  // namespace mshadow

#endif  // PS_EXAMPLES_MSHADOW_TENSOR_H_

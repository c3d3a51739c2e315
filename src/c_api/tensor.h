// What a PSTensor stands for.
#ifndef PS_C_API_TENSOR_H_
#define PS_C_API_TENSOR_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "c_api/handles.h"
#include "ps/c/tensor.h"
#include "ps/tensor.h"

namespace ps::c_api {

// A tensor that may be replaced by another one: what is pulled by rows is a new one. Any thread.
class TensorBox {
 public:
  TensorBox() = default;
  explicit TensorBox(Tensor tensor) : tensor_(std::move(tensor)) {}

  Tensor Get() const PS_EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return tensor_;
  }
  // The tensor before goes without the lock: with it may go somebody's memory.
  void Set(Tensor tensor) noexcept PS_EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    std::swap(tensor_, tensor);
  }

 private:
  mutable Mutex mutex_;
  Tensor tensor_ PS_GUARDED_BY(mutex_);
};

template <>
struct HandleTraits<PSTensor> {
  using Object = TensorBox;
  static constexpr char kName[] = "PSTensor";
};

PSTensor NewTensor(Tensor tensor);

// All of these throw Error.

Tensor TensorOf(PSTensor handle);
// `num` handles at `handles`; `name` of the argument, which may be null only where there are none.
std::vector<Tensor> TensorsOf(std::size_t num, const PSTensor* handles, const char* name);
// The memory of a dense tensor, when what writes it is done. It stays as long as the tensor.
TensorView DenseView(const Tensor& tensor);
// `code`: PSDType.
DType DTypeOfCode(int code);
// `shape`: of `ndim` lengths, null where there are none.
Shape ShapeOf(int ndim, const std::int64_t* shape);

}  // namespace ps::c_api

#endif  // PS_C_API_TENSOR_H_

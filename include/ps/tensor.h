// TensorView and Tensor: arrays, somebody else's and one's own.
#ifndef PS_TENSOR_H_
#define PS_TENSOR_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "ps/device_id.h"
#include "ps/dtype.h"
#include "ps/status.h"

namespace ps {

class Stream;

using Shape = std::vector<std::int64_t>;

// A dense array, last dimension fastest, without gaps. A plain value that borrows `data`: whoever keeps a
// view sees to it that the memory stays.
struct TensorView {
  void* data = nullptr;  // aligned for its elements; may be null if there are none
  Shape shape;           // lengths of the dimensions, none below 0; no dimensions: one element
  DType dtype = DType::kF32;
  DeviceId device;
  Stream* stream = nullptr;  // on which the array is written; null: it is there

  // Elements.
  std::int64_t size() const {
    std::int64_t product = 1;
    for (const std::int64_t length : shape) product *= length;
    return product;
  }
  std::size_t bytes() const { return static_cast<std::size_t>(size()) * SizeOf(dtype); }
};

// An operation that writes a tensor: what its readers wait for. For the library.
class PendingWrite {
 public:
  virtual ~PendingWrite() = default;
  // Null: for as long as it takes. kDeadlineExceeded after `timeout`, which ends only the wait.
  virtual Status Wait(const std::chrono::milliseconds* timeout) = 0;
};

// An array, or rows of one. A handle: copies are of the same memory, which goes with the last of them.
// Tensors that own their memory remember the operation that last writes them: who reads waits for it, and is
// told when it failed. Foreign memory can not wait: there the ticket of the operation has to be waited for.
// All may throw Error. Any thread, but for two that write one tensor.
class Tensor {
 public:
  // Nothing: no memory.
  Tensor() = default;
  // With any content. kResourceExhausted, kInvalidArgument (a length below 0, a product that overflows),
  // kUnavailable (no such device).
  static Tensor Empty(const Shape& shape, DType dtype = DType::kF32, const DeviceId& device = {});
  // All elements `value`, as C++ converts it; kInvalidArgument where an integer can not hold it.
  static Tensor Full(const Shape& shape, double value, DType dtype = DType::kF32,
                     const DeviceId& device = {});
  // Memory of somebody else; `deleter`, if any, is called when nobody uses it any more, on any thread. Not
  // where this throws: kInvalidArgument (no memory, not aligned), kUnavailable.
  static Tensor Foreign(const TensorView& memory, std::function<void()> deleter = nullptr);
  // For who keeps memory for tensors: the same, but it is the tensor's own, so that its readers wait.
  static Tensor Own(const TensorView& memory, std::function<void()> release);
  // Some rows of an array of `shape` (at least one dimension): `ids` (i64, one dimension, each once,
  // ascending) says which, `values` ({ids, shape[1], ...}) holds them. The other rows are zero.
  static Tensor RowSparse(const Shape& shape, const Tensor& ids, const Tensor& values);

  bool is_none() const { return impl_ == nullptr; }
  bool is_row_sparse() const;
  // Shape, element type, device, and memory as it is now, without waiting. Row-sparse: the shape is that of
  // the whole array, `data` that of the values.
  const TensorView& view() const;
  // Row-sparse tensors: their parts.
  const Tensor& ids() const;
  const Tensor& values() const;
  // The memory, when what writes it is done. Null of no tensor.
  void* Data() const;
  // To and from `bytes()` of the processor's memory; done when they return. Of a row-sparse tensor CopyTo
  // gives the whole array, with zeros, and CopyFrom is kFailedPrecondition: write its values.
  void CopyTo(void* host) const;
  void CopyFrom(const void* host);
  // For who writes the tensor: readers wait for `write`, if the memory is the tensor's own. Row-sparse: of
  // the values. Forgotten once it was waited for; one that failed tells everybody, CopyFrom too, until the
  // next takes its place (null: none, the memory may be used again).
  void SetWrite(std::shared_ptr<PendingWrite> write);

 private:
  class Impl;
  explicit Tensor(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
  static Tensor Of(const TensorView& memory, bool owns, std::function<void()> release);
  std::shared_ptr<Impl> impl_;  // shared by the copies
};

}  // namespace ps

#endif  // PS_TENSOR_H_

#ifndef PS_COLLECTIVE_HOST_ARRAY_H_
#define PS_COLLECTIVE_HOST_ARRAY_H_

#include <cstddef>
#include <memory>

#include "ps/status.h"
#include "ps/tensor.h"

namespace ps {

class Device;

// A tensor's elements in the processor's memory: where they lie, or, of a CUDA device, a copy. One thread at
// a time.
class HostArray {
 public:
  // What becomes of it: what need not be copied from a device, or to it, is not.
  enum Use { kIn, kOut, kInOut };
  // When what writes it on its stream is done. kInvalidArgument (a shape, no memory, not aligned), and what
  // the device has to say. The tensor's memory stays as long as the array is used.
  static Result<std::shared_ptr<HostArray>> Of(const TensorView& view, Use use);
  // The first of these, without the device.
  static Status Check(const TensorView& view);
  ~HostArray();
  HostArray(const HostArray&) = delete;
  HostArray& operator=(const HostArray&) = delete;

  char* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }
  // What was written goes to the tensor, unless it is only read (kIn); done when it returns.
  Status CopyBack();

 private:
  HostArray(const TensorView& view, Use use, Device* device)
      : view_(view), use_(use), bytes_(view.bytes()), device_(device) {}

  const TensorView view_;
  const Use use_;
  const std::size_t bytes_;
  Device* const device_;  // null: it lies in the processor's memory
  char* data_ = nullptr;
};

}  // namespace ps

#endif  // PS_COLLECTIVE_HOST_ARRAY_H_

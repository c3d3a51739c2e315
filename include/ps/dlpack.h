// DLPack: tensors from and for other libraries (NumPy, PyTorch, JAX, MXNet, ...), without a copy.
#ifndef PS_DLPACK_H_
#define PS_DLPACK_H_

#include <cstdint>

#include "ps/status.h"
#include "ps/tensor.h"

namespace ps {

// The structures have the layout and the member names of those of DLPack 0.x (the capsule `dltensor`), but
// stand in our name space: a program that has DLPack's own header as well casts the pointers.

// Kinds of devices that DLPack knows and this library has memory for: DeviceId::Kind has the same numbers.
constexpr std::int32_t kDlCpu = 1;
constexpr std::int32_t kDlCuda = 2;
constexpr std::int32_t kDlCudaHost = 3;  // the processor's memory, pinned

struct DLDevice {
  std::int32_t device_type;
  std::int32_t device_id;
};

// Kinds of elements that this library has.
constexpr std::uint8_t kDlInt = 0;
constexpr std::uint8_t kDlUInt = 1;
constexpr std::uint8_t kDlFloat = 2;
constexpr std::uint8_t kDlBFloat = 4;
constexpr std::uint8_t kDlBool = 6;

struct DLDataType {
  std::uint8_t code;
  std::uint8_t bits;
  std::uint16_t lanes;  // elements that are one vector; 1 here
};

struct DLTensor {
  void* data;  // on the device
  DLDevice device;
  std::int32_t ndim;
  DLDataType dtype;
  std::int64_t* shape;        // `ndim` lengths
  std::int64_t* strides;      // `ndim`, in elements; null: compact, last dimension fastest
  std::uint64_t byte_offset;  // from `data` to the first element
};

struct DLManagedTensor {
  DLTensor dl_tensor;
  void* manager_ctx;                       // the exporter's own
  void (*deleter)(DLManagedTensor* self);  // for the importer to call, once, on any thread; may be null
};

// The memory of a dense tensor, when what writes it is done; it stays until the deleter is called. Throws
// Error: what wrote it has failed; kInvalidArgument: row-sparse, or no tensor. Any thread.
DLManagedTensor* ToDLPack(const Tensor& tensor);

// A tensor of somebody else's memory: foreign, so it does not know who writes it. Takes the structure over,
// whose deleter is called when the last copy of the tensor goes; not where this fails: then it is still the
// caller's. kInvalidArgument names strides that are not compact, dtypes and devices that are not known here;
// kUnavailable: a CUDA device in a process that has none of that number. Any thread.
Result<Tensor> FromDLPack(DLManagedTensor* managed);

}  // namespace ps

#endif  // PS_DLPACK_H_

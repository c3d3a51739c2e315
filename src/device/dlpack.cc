#include "ps/dlpack.h"

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include "device/shape.h"

namespace ps {
namespace {

static_assert(sizeof(DLDataType) == 4 && sizeof(DLDevice) == 8, "DLPack's layout");
static_assert(offsetof(DLTensor, shape) == 24 || sizeof(void*) != 8, "DLPack's layout");
static_assert(sizeof(DLTensor) == 48 || sizeof(void*) != 8, "DLPack's layout");
static_assert(sizeof(DLManagedTensor) == 64 || sizeof(void*) != 8, "DLPack's layout");

constexpr std::uint8_t kBitsPerByte = 8;

// What an exported structure points into, and keeps.
struct Exported {
  DLManagedTensor managed;
  Tensor tensor;
  Shape shape;
  Shape strides;
};

// Of an array without gaps.
Shape CompactStrides(const Shape& shape) {
  Shape strides(shape.size());
  std::int64_t stride = 1;
  for (std::size_t i = shape.size(); i-- > 0;) {
    strides[i] = stride;
    stride *= shape[i];
  }
  return strides;
}

std::uint8_t KindOf(DType dtype) {
  if (dtype == DType::kBool) return kDlBool;
  if (dtype == DType::kBF16) return kDlBFloat;
  if (IsFloat(dtype)) return kDlFloat;
  const bool is_signed =
      dtype == DType::kI8 || dtype == DType::kI16 || dtype == DType::kI32 || dtype == DType::kI64;
  return is_signed ? kDlInt : kDlUInt;
}

DLDataType ToDlType(DType dtype) {
  return {KindOf(dtype), static_cast<std::uint8_t>(SizeOf(dtype) * kBitsPerByte), 1};
}

std::string NameOfType(const DLDataType& type) {
  constexpr std::array<const char*, 7> kNames = {"int",    "uint",    "float", "opaque handle",
                                                 "bfloat", "complex", "bool"};
  const std::string bits = std::to_string(type.bits);
  const std::string element = type.code < kNames.size()
                                  ? kNames[type.code] + bits
                                  : "kind " + std::to_string(type.code) + " of " + bits + " bits";
  const std::string lanes = type.lanes == 1 ? "" : " in vectors of " + std::to_string(type.lanes);
  return element + lanes;
}

Result<DType> FromDlType(const DLDataType& type) {
  for (std::uint8_t code = 0; IsDType(code); ++code) {
    const DLDataType known = ToDlType(static_cast<DType>(code));
    if (known.code == type.code && known.bits == type.bits && known.lanes == type.lanes)
      return static_cast<DType>(code);
  }
  return Status::InvalidArgument("DLPack elements of the type " + NameOfType(type) + " are not known here");
}

// Only the names: there is no memory of these here.
std::string NameOfKind(std::int32_t kind) {
  switch (kind) {
    case 4: return "OpenCL";
    case 7: return "Vulkan";
    case 8: return "Metal";
    case 9: return "VPI";
    case 10: return "ROCm";
    case 11: return "ROCm (host)";
    case 12: return "an extension";
    case 13: return "CUDA (managed)";
    case 14: return "oneAPI";
    case 15: return "WebGPU";
    case 16: return "Hexagon";
    default: return "the unknown kind " + std::to_string(kind);
  }
}

Result<DeviceId> FromDlDevice(const DLDevice& device) {
  if (device.device_id < 0)
    return Status::InvalidArgument("no DLPack device has the number " + std::to_string(device.device_id));
  if (device.device_type == kDlCpu) return DeviceId::Cpu(device.device_id);
  if (device.device_type == kDlCuda) return DeviceId::Cuda(device.device_id);
  // Numbered as the CUDA devices, but read by the processor.
  if (device.device_type == kDlCudaHost) return DeviceId::Cpu();
  return Status::InvalidArgument("DLPack memory on a device of " + NameOfKind(device.device_type) +
                                 " can not be used here");
}

// A stride says nothing where there is at most one step.
Status CheckStrides(const DLTensor& tensor, const Shape& shape) {
  if (tensor.strides == nullptr) return Status::Ok();
  const Shape compact = CompactStrides(shape);
  bool is_compact = true;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 0) return Status::Ok();
    is_compact = is_compact && (shape[i] == 1 || tensor.strides[i] == compact[i]);
  }
  if (is_compact) return Status::Ok();
  return Status::InvalidArgument(
      "the strides " + ToString(Shape(tensor.strides, tensor.strides + shape.size())) +
      " of a DLPack tensor of the shape " + ToString(shape) + " are not compact, which would be " +
      ToString(compact) + ": make a contiguous copy");
}

Result<TensorView> ViewOf(const DLTensor& tensor) {
  if (tensor.ndim < 0 || (tensor.ndim > 0 && tensor.shape == nullptr))
    return Status::InvalidArgument("a DLPack tensor of " + std::to_string(tensor.ndim) +
                                   " dimensions has no shape for them");
  TensorView view;
  if (tensor.ndim > 0) view.shape.assign(tensor.shape, tensor.shape + tensor.ndim);
  const Result<DType> dtype = FromDlType(tensor.dtype);
  PS_RETURN_IF_ERROR(dtype.status());
  view.dtype = dtype.value();
  const Result<DeviceId> device = FromDlDevice(tensor.device);
  PS_RETURN_IF_ERROR(device.status());
  view.device = device.value();
  PS_RETURN_IF_ERROR(BytesOfShape(view.shape, view.dtype).status());
  PS_RETURN_IF_ERROR(CheckStrides(tensor, view.shape));
  if (tensor.data != nullptr) view.data = static_cast<char*>(tensor.data) + tensor.byte_offset;
  return view;
}

}  // namespace

DLManagedTensor* ToDLPack(const Tensor& tensor) {
  if (tensor.is_none() || tensor.is_row_sparse())
    ThrowIfError(
        Status::InvalidArgument("DLPack knows dense tensors: export the ids and values of a row-sparse one"));
  auto exported = std::make_unique<Exported>();
  const TensorView& view = tensor.view();
  exported->tensor = tensor;
  exported->shape = view.shape;
  exported->strides = CompactStrides(view.shape);
  DLTensor& to = exported->managed.dl_tensor;
  to.data = tensor.Data();
  to.device = {static_cast<std::int32_t>(view.device.kind), view.device.index};
  to.ndim = static_cast<std::int32_t>(view.shape.size());
  to.dtype = ToDlType(view.dtype);
  to.shape = exported->shape.data();
  to.strides = exported->strides.data();
  to.byte_offset = 0;
  exported->managed.manager_ctx = exported.get();
  exported->managed.deleter = [](DLManagedTensor* self) {
    const std::unique_ptr<Exported> last(static_cast<Exported*>(self->manager_ctx));
  };
  return &exported.release()->managed;
}

Result<Tensor> FromDLPack(DLManagedTensor* managed) {
  if (managed == nullptr) return Status::InvalidArgument("there is no DLPack tensor");
  Result<TensorView> view = ViewOf(managed->dl_tensor);
  PS_RETURN_IF_ERROR(view.status());
  try {
    return Tensor::Foreign(view.value(), [managed] {
      if (managed->deleter != nullptr) managed->deleter(managed);
    });
  } catch (const Error& error) {
    return error.status();
  }
}

}  // namespace ps

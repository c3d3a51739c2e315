#include "c_api/tensor.h"

#include <cstring>
#include <string>
#include <utility>

#include "c_api/error.h"
#include "c_api/structs.h"
#include "device/shape.h"
#include "ps/dlpack.h"

namespace ps::c_api {
namespace {

// More than any library has: who says more has not set it.
constexpr int kMaxDimensions = 64;

constexpr char kInfo[] = "PSTensorInfo";

Error Refused(const std::string& text) { return Error(Status::InvalidArgument(text)); }

// Pinned memory of the processor is the processor's.
DeviceId DeviceOf(const PSTensorInfo& info) {
  if (info.device_index < 0) throw Refused("no device has the number " + std::to_string(info.device_index));
  switch (info.device_kind) {
    case 0:
    case PS_CPU: return DeviceId::Cpu(info.device_index);
    case PS_CUDA: return DeviceId::Cuda(info.device_index);
    case PS_CUDA_HOST: return DeviceId::Cpu();
    default: throw Refused("no kind of devices has the number " + std::to_string(info.device_kind));
  }
}

PSTensorInfo InfoOf(const PSTensorInfo* given) {
  CheckGiven(given, "info");
  return ReadStruct(given, kInfo);
}

// All but the memory.
TensorView ViewOf(const PSTensorInfo& info) {
  TensorView view;
  view.dtype = DTypeOfCode(info.dtype);
  view.shape = ShapeOf(info.ndim, info.shape);
  view.device = DeviceOf(info);
  return view;
}

Tensor Zeros(const PSTensorInfo& info) {
  const TensorView view = ViewOf(info);
  if (info.row_sparse == 0) return Tensor::Full(view.shape, 0, view.dtype, view.device);
  if (view.shape.empty()) throw Refused("rows of an array without dimensions: there are none");
  Shape none = view.shape;
  none.front() = 0;
  return Tensor::RowSparse(view.shape, Tensor::Empty({0}, DType::kI64, view.device),
                           Tensor::Empty(none, view.dtype, view.device));
}

Tensor Foreign(void* data, const PSTensorInfo& info, PSDeleter deleter, void* context) {
  if (info.row_sparse != 0)
    throw Refused("memory is dense: PSTensorCreateRowSparse makes rows of two tensors");
  TensorView view = ViewOf(info);
  view.data = data;
  if (deleter == nullptr) return Tensor::Foreign(view);
  return Tensor::Foreign(view, [=] { deleter(data, context); });
}

// What `make` gives. The handle comes first: when memory has been taken over nothing fails any more.
template <typename Make>
void MakeHandle(PSTensor* tensor, const Make& make) {
  CheckGiven(tensor, "tensor");
  const auto box = std::make_shared<TensorBox>();
  const auto handle = NewHandle<PSTensor>(box);
  try {
    box->Set(make());
  } catch (...) {
    FreeHandle(handle);
    throw;
  }
  *tensor = handle;
}

void CheckBytes(const Tensor& tensor, const void* data, std::size_t bytes) {
  const std::size_t needed = tensor.view().bytes();
  if (bytes != needed)
    throw Refused(std::to_string(bytes) + " bytes for " + Describe(tensor.view()) + ", which has " +
                  std::to_string(needed));
  if (needed != 0) CheckGiven(data, "data");
}

PSTensorInfo InfoOf(const Tensor& tensor) {
  const TensorView& view = tensor.view();
  PSTensorInfo info{};
  info.dtype = static_cast<int>(view.dtype);
  info.device_kind = view.device.kind;
  info.device_index = view.device.index;
  info.ndim = static_cast<int>(view.shape.size());
  info.shape = view.shape.data();
  info.row_sparse = tensor.is_row_sparse() ? 1 : 0;
  info.bytes = tensor.is_row_sparse() ? tensor.values().view().bytes() : view.bytes();
  return info;
}

}  // namespace

PSTensor NewTensor(Tensor tensor) {
  return NewHandle<PSTensor>(std::make_shared<TensorBox>(std::move(tensor)));
}

Tensor TensorOf(PSTensor handle) { return ObjectOf(handle)->Get(); }

std::vector<Tensor> TensorsOf(std::size_t num, const PSTensor* handles, const char* name) {
  if (num != 0) CheckGiven(handles, name);
  std::vector<Tensor> tensors;
  tensors.reserve(num);
  for (std::size_t i = 0; i < num; ++i) tensors.push_back(TensorOf(handles[i]));
  return tensors;
}

TensorView DenseView(const Tensor& tensor) {
  if (tensor.is_row_sparse()) throw Refused("a row-sparse tensor where a dense one is needed");
  static_cast<void>(tensor.Data());
  return tensor.view();
}

template <DType kType, int kOfC>
constexpr bool kIsSame = static_cast<int>(kType) == kOfC;
static_assert(kIsSame<DType::kF32, PS_F32> && kIsSame<DType::kF64, PS_F64> && kIsSame<DType::kF16, PS_F16> &&
              kIsSame<DType::kU8, PS_U8> && kIsSame<DType::kI32, PS_I32> && kIsSame<DType::kI8, PS_I8> &&
              kIsSame<DType::kI64, PS_I64> && kIsSame<DType::kBool, PS_BOOL> &&
              kIsSame<DType::kI16, PS_I16> && kIsSame<DType::kU16, PS_U16> && kIsSame<DType::kU32, PS_U32> &&
              kIsSame<DType::kU64, PS_U64> && kIsSame<DType::kBF16, PS_BF16> && kNumDTypes == 13);

DType DTypeOfCode(int code) {
  if (code < 0 || code >= kNumDTypes) throw Refused("no element type has the number " + std::to_string(code));
  return static_cast<DType>(code);
}

Shape ShapeOf(int ndim, const std::int64_t* shape) {
  if (ndim < 0 || ndim > kMaxDimensions)
    throw Refused("an array of " + std::to_string(ndim) + " dimensions: there are 0 to " +
                  std::to_string(kMaxDimensions));
  if (ndim == 0) return {};
  CheckGiven(shape, "shape");
  return Shape(shape, shape + ndim);
}

}  // namespace ps::c_api

using ps::Tensor;
using ps::c_api::Call;
using ps::c_api::CheckGiven;
using ps::c_api::TensorOf;

extern "C" {

int PSTensorCreate(const PSTensorInfo* info, PSTensor* tensor) {
  return Call(
      [&] { ps::c_api::MakeHandle(tensor, [&] { return ps::c_api::Zeros(ps::c_api::InfoOf(info)); }); });
}

int PSTensorFromPtr(void* data, const PSTensorInfo* info, PSDeleter deleter, void* context,
                    PSTensor* tensor) {
  return Call([&] {
    ps::c_api::MakeHandle(
        tensor, [&] { return ps::c_api::Foreign(data, ps::c_api::InfoOf(info), deleter, context); });
  });
}

int PSTensorFromDLPack(void* managed, PSTensor* tensor) {
  return Call([&] {
    ps::c_api::MakeHandle(tensor,
                          [&] { return ps::FromDLPack(static_cast<ps::DLManagedTensor*>(managed)).value(); });
  });
}

int PSTensorToDLPack(PSTensor tensor, void** managed) {
  return Call([&] {
    CheckGiven(managed, "managed");
    *managed = ps::ToDLPack(TensorOf(tensor));
  });
}

int PSTensorCreateRowSparse(PSTensor ids, PSTensor values, int ndim, const int64_t* shape, PSTensor* tensor) {
  return Call([&] {
    ps::c_api::MakeHandle(tensor, [&] {
      return Tensor::RowSparse(ps::c_api::ShapeOf(ndim, shape), TensorOf(ids), TensorOf(values));
    });
  });
}

int PSTensorGetIds(PSTensor tensor, PSTensor* ids) {
  return Call([&] { ps::c_api::MakeHandle(ids, [&] { return TensorOf(tensor).ids(); }); });
}

int PSTensorGetValues(PSTensor tensor, PSTensor* values) {
  return Call([&] { ps::c_api::MakeHandle(values, [&] { return TensorOf(tensor).values(); }); });
}

int PSTensorGetInfo(PSTensor tensor, PSTensorInfo* info) {
  return Call([&] {
    CheckGiven(info, "info");
    // The shape that it points to is kept by the handle.
    ps::c_api::WriteStruct(ps::c_api::InfoOf(TensorOf(tensor)), info, ps::c_api::kInfo);
  });
}

int PSTensorGetData(PSTensor tensor, void** data) {
  return Call([&] {
    CheckGiven(data, "data");
    *data = TensorOf(tensor).Data();
  });
}

int PSTensorWait(PSTensor tensor) {
  return Call([&] { static_cast<void>(TensorOf(tensor).Data()); });
}

int PSTensorCopyTo(PSTensor tensor, void* data, size_t bytes) {
  return Call([&] {
    const Tensor from = TensorOf(tensor);
    ps::c_api::CheckBytes(from, data, bytes);
    from.CopyTo(data);
  });
}

int PSTensorCopyFrom(PSTensor tensor, const void* data, size_t bytes) {
  return Call([&] {
    Tensor to = TensorOf(tensor);
    ps::c_api::CheckBytes(to, data, bytes);
    to.CopyFrom(data);
  });
}

int PSTensorFree(PSTensor tensor) {
  return Call([&] { ps::c_api::FreeHandle(tensor); });
}

}  // extern "C"

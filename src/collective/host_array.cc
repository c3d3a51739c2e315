#include "collective/host_array.h"

#include <cstdint>
#include <string>

#include "device/devices.h"
#include "ps/stream.h"

namespace ps {

Status HostArray::Check(const TensorView& view) {
  for (const std::int64_t length : view.shape)
    if (length < 0) return Status::InvalidArgument("an array of length " + std::to_string(length));
  if (view.size() == 0) return Status::Ok();
  if (view.data == nullptr) return Status::InvalidArgument("an array without memory");
  if (reinterpret_cast<std::uintptr_t>(view.data) % SizeOf(view.dtype) != 0)
    return Status::InvalidArgument(std::string("an array that is not aligned for ") + NameOf(view.dtype));
  return Status::Ok();
}

Result<std::shared_ptr<HostArray>> HostArray::Of(const TensorView& view, Use use) {
  PS_RETURN_IF_ERROR(Check(view));
  if (view.stream != nullptr) PS_RETURN_IF_ERROR(view.stream->Record()->Wait());
  if (view.device.kind == DeviceId::kCpu || view.size() == 0) {
    std::shared_ptr<HostArray> array(
        new HostArray(view, use, nullptr));  // NOLINT: the constructor is private
    array->data_ = static_cast<char*>(view.data);
    return array;
  }
  const Result<Device*> device = FindDevice(view.device);
  PS_RETURN_IF_ERROR(device.status());
  const Result<void*> staging = device.value()->AllocateStaging(view.bytes());
  PS_RETURN_IF_ERROR(staging.status());
  std::shared_ptr<HostArray> array(new HostArray(view, use, device.value()));  // NOLINT: as above
  array->data_ = static_cast<char*>(staging.value());
  if (use != kOut) device.value()->Copy(array->data_, view.data, array->bytes_);
  return array;
}

HostArray::~HostArray() {
  if (device_ != nullptr) device_->FreeStaging(data_);
}

Status HostArray::CopyBack() {
  if (device_ != nullptr && use_ != kIn) device_->Copy(view_.data, data_, bytes_);
  return Status::Ok();
}

}  // namespace ps

#include "group/nccl_sum.h"

#include <utility>

namespace ps {
namespace {

std::vector<DeviceId> DevicesOf(const std::vector<Tensor>& values) {
  std::vector<DeviceId> devices;
  for (const Tensor& value : values) {
    if (value.is_row_sparse())
      ThrowIfError(Status::InvalidArgument("NCCL kvstore does not support sparse storage type"));
    const DeviceId device = value.view().device;
    if (device.kind != DeviceId::kCuda)
      ThrowIfError(Status::InvalidArgument("NCCL kvstore: a value on " + ToString(device) +
                                           "; all lie on CUDA devices"));
    devices.push_back(device);
  }
  return devices;
}

}  // namespace

NcclGroup* NcclSum::GroupOf(const std::vector<DeviceId>& devices) {
  if (group_ == nullptr) {
    group_ = std::move(MakeNcclGroup(devices).value());
    devices_ = devices;
  }
  if (devices != devices_)
    ThrowIfError(Status::InvalidArgument("NCCL KVStore supports only single set of devices"));
  return group_.get();
}

Tensor NcclSum::Sum(const std::vector<Tensor>& values) {
  const std::vector<DeviceId> devices = DevicesOf(values);
  const TensorView& first = values.front().view();
  Tensor merged = resources_->scratch->TakeTensor(first.shape, first.dtype, devices.front());
  std::vector<TensorView> from;
  for (const Tensor& value : values) {
    static_cast<void>(value.Data());  // what writes it has ended
    from.push_back(value.view());
  }
  Streams::Lease lease(&resources_->streams);
  std::vector<Stream*> streams;
  for (const DeviceId& device : devices) streams.push_back(lease.On(device));
  {
    MutexLock lock(mutex_);
    ThrowIfError(GroupOf(devices)->Reduce(streams, merged.view(), from));
  }
  ThrowIfError(lease.Finish());
  return merged;
}

}  // namespace ps

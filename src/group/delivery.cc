#include "group/delivery.h"

#include <cstddef>

#include "device/devices.h"
#include "group/broadcast.h"
#include "group/caller_stream.h"

namespace ps {
namespace {

void CallBack(const Delivery& delivery, Stream* stream) {
  if (delivery.callback == nullptr) return;
  FindDevice(delivery.to.device).value()->RunCurrent([&] { delivery.callback(stream); });
}

void DeliverOnHost(Resources* resources, const Tensor& from, const Delivery& delivery,
                   const std::function<void()>& on_copied) {
  CopyToAll(resources, from, {Tensor::Foreign(delivery.to)}, 0);
  on_copied();
  CallerStream own(delivery.to.device);
  Stream* const stream = delivery.to.stream != nullptr ? delivery.to.stream : &own;
  CallBack(delivery, stream);
  ThrowIfError(stream->Synchronize());
}

}  // namespace

void Deliver(Resources* resources, const Tensor& from, const Delivery& delivery,
             const std::function<void()>& on_copied) {
  const TensorView& source = from.view();
  const DeviceId& to = delivery.to.device;
  if (resources->IsHost(to) && resources->IsHost(source.device))
    return DeliverOnHost(resources, from, delivery, on_copied);
  const void* const data = from.Data();
  Streams::Lease lease(&resources->streams);
  // Who copies: the device that has the memory; of two the one that gets it.
  Stream* const leased = lease.On(resources->IsHost(to) ? source.device : to);
  Stream* const stream = delivery.to.stream != nullptr ? delivery.to.stream : leased;
  if (source.bytes() != 0 && data != delivery.to.data) stream->Copy(delivery.to.data, data, source.bytes());
  on_copied();
  CallBack(delivery, stream);
  ThrowIfError(stream->Synchronize());
  ThrowIfError(lease.Finish());
}

}  // namespace ps

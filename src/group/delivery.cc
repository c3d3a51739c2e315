#include "group/delivery.h"

#include <cstddef>
#include <exception>

#include "device/devices.h"
#include "device/shape.h"
#include "group/broadcast.h"
#include "group/caller_stream.h"

namespace ps {
namespace {

// Waits for the stream, whatever the callback does: it may have asked things of it before it has thrown.
void CallBack(const Delivery& delivery, Stream* stream) {
  std::exception_ptr thrown;
  try {
    if (delivery.callback != nullptr)
      FindDevice(delivery.to.device).value()->RunCurrent([&] { delivery.callback(stream); });
  } catch (...) {
    thrown = std::current_exception();
  }
  const Status done = stream->Synchronize();
  if (thrown != nullptr) std::rethrow_exception(thrown);
  ThrowIfError(done);
}

void DeliverOnHost(Resources* resources, const Tensor& from, const Delivery& delivery,
                   const std::function<void()>& on_copied) {
  CopyToAll(resources, from, {Tensor::Foreign(delivery.to)}, 0);
  on_copied();
  CallerStream own(delivery.to.device);
  Stream* const stream = delivery.to.stream != nullptr ? delivery.to.stream : &own;
  CallBack(delivery, stream);
}

void CheckFits(const TensorView& from, const TensorView& to) {
  if (from.dtype == to.dtype && from.size() == to.size()) return;
  ThrowIfError(Status::FailedPrecondition("the result is " + Describe(from) +
                                          ", and the array that is to get it " + Describe(to)));
}

}  // namespace

void Deliver(Resources* resources, const Tensor& from, const Delivery& delivery,
             const std::function<void()>& on_copied) {
  const TensorView& source = from.view();
  CheckFits(source, delivery.to);
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
  ThrowIfError(lease.Finish());
}

}  // namespace ps

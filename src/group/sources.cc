#include "group/sources.h"

#include "device/devices.h"

namespace ps {

Sources::Sources(Resources* resources, const DeviceId& owner)
    : resources_(resources), owner_(owner), lease_(&resources->streams) {}

const void* Sources::Bring(const Tensor& tensor) {
  const void* const data = tensor.Data();
  const DeviceId& from = tensor.view().device;
  const std::size_t bytes = tensor.view().bytes();
  if (bytes == 0 || resources_->Reaches(owner_, from)) return data;
  // The processor's memory is copied by the owner's stream: no thread of the processor has to do it.
  return Copied(from, data, bytes, On(resources_->IsHost(from) ? owner_ : from));
}

const void* Sources::BringWritten(const DeviceId& from, const void* data, std::size_t bytes) {
  Stream* const stream = On(from);
  if (!resources_->Reaches(owner_, from) && !resources_->IsHost(from))
    return Copied(from, data, bytes, stream);
  // The owner's stream goes on behind the other one at once where it has to copy itself.
  Stream* const owner = On(owner_);
  if (stream != owner) owner->After(stream->Record());
  return resources_->Reaches(owner_, from) ? data : Copied(from, data, bytes, owner);
}

const void* Sources::Copied(const DeviceId& from, const void* data, std::size_t bytes, Stream* by) {
  void* const block = resources_->IsHost(owner_) ? Staging(from, bytes) : Block(owner_, bytes);
  by->Copy(block, data, bytes);
  if (by != On(owner_)) written_.push_back(by->Record());
  return block;
}

void* Sources::Block(const DeviceId& device, std::size_t bytes) {
  Device* const place = FindDevice(resources_->Place(device)).value();
  blocks_.push_back(resources_->scratch->Take(place, Scratch::kOnDevice, bytes));
  return blocks_.back().data();
}

void* Sources::Staging(const DeviceId& device, std::size_t bytes) {
  blocks_.push_back(resources_->scratch->Take(FindDevice(device).value(), Scratch::kStaging, bytes));
  return blocks_.back().data();
}

Stream* Sources::Ready() {
  Stream* const stream = On(owner_);
  for (const std::shared_ptr<Event>& event : written_) stream->After(event);
  written_.clear();
  return stream;
}

}  // namespace ps

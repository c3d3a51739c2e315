#ifndef PS_GROUP_SOURCES_H_
#define PS_GROUP_SOURCES_H_

#include <cstddef>
#include <memory>
#include <vector>

#include "group/resources.h"
#include "ps/tensor.h"

namespace ps {

// Brings arrays to the device that merges them: what it reaches stays where it is, the rest is copied, by
// streams of the devices that it lies on, so that copies from several of them overlap. One thread; the arrays
// stay until it ends.
class Sources {
 public:
  Sources(Resources* resources, const DeviceId& owner);

  // Where the elements of a dense tensor are, for the owner, behind Ready or Wait. Waits for what writes the
  // tensor, and throws its Error.
  const void* Bring(const Tensor& tensor);
  // The same for memory on `from` that the stream On(from) was asked to write.
  const void* BringWritten(const DeviceId& from, const void* data, std::size_t bytes);
  // The stream of the place of a device, for work before or behind the copies.
  Stream* On(const DeviceId& device) { return lease_.On(resources_->Place(device)); }
  // A block on a device (or in the processor's memory) that lasts as long as this.
  void* Block(const DeviceId& device, std::size_t bytes);
  // The same in the processor's memory, for copies from and to a device.
  void* Staging(const DeviceId& device, std::size_t bytes);
  // The owner's stream; what is asked of it from now on is done when everything was brought.
  Stream* Ready();
  // Returns when everything is done, with the first failure.
  Status Wait() { return lease_.Finish(); }

 private:
  const void* Copied(const DeviceId& from, const void* data, std::size_t bytes, Stream* by);

  Resources* const resources_;
  const DeviceId owner_;
  std::vector<Scratch::Block> blocks_;
  std::vector<std::shared_ptr<Event>> written_;  // what the owner waits for
  Streams::Lease lease_;                         // last: its end waits for who uses the blocks
};

}  // namespace ps

#endif  // PS_GROUP_SOURCES_H_

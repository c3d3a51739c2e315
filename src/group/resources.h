#ifndef PS_GROUP_RESOURCES_H_
#define PS_GROUP_RESOURCES_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "group/scratch.h"
#include "group/streams.h"
#include "group/workers.h"
#include "ps/tensor.h"

namespace ps {

// What merges work with. Any thread.
struct Resources {
  Resources(int num_threads, std::size_t big, bool cpus_are_apart, int num_posted = 0)
      : cpus_are_apart(cpus_are_apart), workers(num_threads, big, num_posted) {}

  // Whether memory there is used by the processor at once, else through streams.
  bool IsHost(const DeviceId& device) const {
    return device.kind == DeviceId::kCpu && (!cpus_are_apart || device.index == 0);
  }
  // Whether `device` uses memory of the other one as its own.
  bool Reaches(const DeviceId& device, const DeviceId& memory) const {
    return device == memory || (IsHost(device) && IsHost(memory));
  }
  // Whose streams work on memory there.
  DeviceId Place(const DeviceId& device) const { return IsHost(device) ? DeviceId::Cpu() : device; }

  // For tests of what is done with streams: only `cpu:0` is the processor, the others are devices.
  const bool cpus_are_apart;
  const std::shared_ptr<Scratch> scratch = std::make_shared<Scratch>();
  Streams streams;
  Workers workers;
};

// Elements [begin, end) of an array, as an array of one dimension.
inline TensorView PartOf(const TensorView& view, std::size_t begin, std::size_t end) {
  TensorView part = view;
  part.shape = {static_cast<std::int64_t>(end - begin)};
  if (view.data != nullptr) part.data = static_cast<char*>(view.data) + begin * SizeOf(view.dtype);
  return part;
}

}  // namespace ps

#endif  // PS_GROUP_RESOURCES_H_

#include "group/dense_sum.h"

#include <cstddef>

#include "device/kernels.h"
#include "group/caller_stream.h"
#include "group/sources.h"

namespace ps {
namespace {

// In pieces: further addends find the sum of the first ones in a cache.
void SumOnHost(Workers* workers, const TensorView& to, const std::vector<const void*>& from) {
  const std::size_t width = SizeOf(to.dtype);
  workers->Split(static_cast<std::size_t>(to.size()), 1, [&](std::size_t begin, std::size_t end) {
    std::vector<const void*> parts;
    for (const void* const data : from) parts.push_back(static_cast<const char*>(data) + begin * width);
    CallerStream stream;
    ThrowIfError(Sum(&stream, PartOf(to, begin, end), parts));
    ThrowIfError(stream.Synchronize());
  });
}

}  // namespace

Tensor SumDense(Resources* resources, const DeviceId& owner, const std::vector<Tensor>& values) {
  const TensorView& first = values.front().view();
  Tensor merged = resources->scratch->TakeTensor(first.shape, first.dtype, owner);
  Sources sources(resources, owner);
  std::vector<const void*> from;
  for (const Tensor& value : values) from.push_back(sources.Bring(value));
  if (resources->IsHost(owner)) {
    ThrowIfError(sources.Wait());
    SumOnHost(&resources->workers, merged.view(), from);
  } else {
    ThrowIfError(Sum(sources.Ready(), merged.view(), from));
    ThrowIfError(sources.Wait());
  }
  return merged;
}

}  // namespace ps

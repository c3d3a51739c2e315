#include "group/merge.h"

#include <algorithm>
#include <cstddef>

#include "base/copy.h"
#include "device/kernels.h"
#include "group/caller_stream.h"
#include "group/dense_sum.h"
#include "group/sources.h"

namespace ps {
namespace {

void ScaleBy(Resources* resources, const TensorView& values, double factor) {
  if (!resources->IsHost(values.device)) {
    Streams::Lease lease(&resources->streams);
    ThrowIfError(Scale(lease.On(values.device), values, factor));
    return ThrowIfError(lease.Finish());
  }
  resources->workers.Split(static_cast<std::size_t>(values.size()), 1,
                           [&](std::size_t begin, std::size_t end) {
                             CallerStream stream;
                             ThrowIfError(Scale(&stream, PartOf(values, begin, end), factor));
                             ThrowIfError(stream.Synchronize());
                           });
}

// Each array to its place: by the processor where it reaches both, else by streams, all at the same time.
Tensor Gathered(Resources* resources, const DeviceId& owner, const std::vector<Tensor>& parts) {
  const TensorView& first = parts.front().view();
  Tensor merged = resources->scratch->TakeTensor(MergedShape(first.shape, MergeKind::kGather, parts.size()),
                                                 first.dtype, owner);
  char* to = static_cast<char*>(merged.view().data);
  Streams::Lease lease(&resources->streams);
  for (const Tensor& part : parts) {
    const std::size_t bytes = part.view().bytes();
    const void* const from = part.Data();
    const DeviceId& at = part.view().device;
    if (bytes != 0 && resources->IsHost(owner) && resources->IsHost(at)) {
      const std::size_t width = SizeOf(first.dtype);
      resources->workers.Split(bytes / width, 1, [&](std::size_t begin, std::size_t end) {
        CopyBytes(to + begin * width, static_cast<const char*>(from) + begin * width, (end - begin) * width);
      });
    } else if (bytes != 0) {
      lease.On(resources->IsHost(at) ? owner : at)->Copy(to, from, bytes);
    }
    to += bytes;
  }
  ThrowIfError(lease.Finish());
  return merged;
}

}  // namespace

Shape MergedShape(const Shape& part, MergeKind kind, std::size_t num_parts) {
  Shape shape = part;
  if (kind == MergeKind::kGather) shape.front() *= static_cast<std::int64_t>(num_parts);
  return shape;
}

MergedValue MergeParts(Resources* resources, MergeKind kind, const std::vector<TensorView>& parts,
                       bool may_stay) {
  const DeviceId first = parts.front().device;
  const bool stays = may_stay && !resources->IsHost(first);
  const DeviceId owner = stays ? first : DeviceId::Cpu();
  std::vector<Tensor> tensors;
  for (const TensorView& part : parts) tensors.push_back(Tensor::Foreign(part));
  // One alone is its own sum, mean and concatenation.
  if (tensors.size() == 1 && resources->Reaches(owner, first)) {
    static_cast<void>(tensors.front().Data());  // waits for who writes it
    return {tensors.front(), true};
  }
  if (kind == MergeKind::kGather) return {Gathered(resources, owner, tensors), false};
  MergedValue merged{SumDense(resources, owner, tensors), false};
  if (kind == MergeKind::kMean && parts.size() > 1)
    ScaleBy(resources, merged.values.view(), 1.0 / static_cast<double>(parts.size()));
  return merged;
}

}  // namespace ps

#include "device/rows.h"

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_select.cuh>

#include "device/cuda/cuda.h"
#include "device/cuda/cuda_launch.h"

namespace ps::cuda {

Status GatherRows(Stream* stream, const RowPlan& plan, const TensorView& to, const TensorView& from) {
  return LaunchGatherRows(CudaLaunch(stream), plan, to, from);
}

Status ScatterRows(Stream* stream, const RowPlan& plan, const TensorView& to, const TensorView& from) {
  return LaunchScatterRows(CudaLaunch(stream), plan, to, from);
}

Status AddRows(Stream* stream, const RowPlan& plan, const TensorView& to, const TensorView& from) {
  return LaunchAddRows(CudaLaunch(stream), plan, to, from);
}

// CUB's functions are called twice: without memory they say how much they need.
Status UniqueRows(Stream* generic_stream, const TensorView& ids, std::int64_t* count) {
  auto* const stream = static_cast<CudaStream*>(generic_stream);
  const OnDevice on(stream->device().index);
  auto* const data = static_cast<std::int64_t*>(ids.data);
  const std::int64_t size = ids.size();
  const cudaStream_t queue = stream->stream();
  const Scratch sorted(stream, static_cast<std::size_t>(size) * sizeof(std::int64_t));
  const Scratch found(stream, sizeof(std::int64_t));
  auto* const keys = static_cast<std::int64_t*>(sorted.data());
  auto* const num_found = static_cast<std::int64_t*>(found.data());
  if (found.ok()) stream->Note(cudaMemsetAsync(num_found, 0, found.bytes(), queue), "a count of ids");
  std::size_t sort_bytes = 0;
  std::size_t select_bytes = 0;
  constexpr int kBits = 64;
  stream->Note(cub::DeviceRadixSort::SortKeys(nullptr, sort_bytes, data, keys, size, 0, kBits, queue),
               "sorting ids");
  stream->Note(cub::DeviceSelect::Unique(nullptr, select_bytes, keys, data, num_found, size, queue),
               "leaving out repeated ids");
  const Scratch work(stream, std::max(sort_bytes, select_bytes));
  if (!sorted.ok() || !found.ok() || !work.ok()) return Status::Ok();  // the stream has it
  stream->Note(cub::DeviceRadixSort::SortKeys(work.data(), sort_bytes, data, keys, size, 0, kBits, queue),
               "sorting ids");
  stream->Note(cub::DeviceSelect::Unique(work.data(), select_bytes, keys, data, num_found, size, queue),
               "leaving out repeated ids");
  stream->Copy(count, num_found, sizeof(*count));
  return Status::Ok();
}

}  // namespace ps::cuda

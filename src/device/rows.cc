#include "device/rows.h"

#include <algorithm>

#include "device/cpu_launch.h"
#include "device/cuda/cuda.h"
#include "device/kernels.h"

namespace ps {
namespace {

std::int64_t RowsOf(const TensorView& view) { return view.shape.empty() ? 1 : view.shape[0]; }

// Elements of a row.
std::int64_t WidthOf(const TensorView& view) {
  std::int64_t width = 1;
  for (std::size_t i = 1; i < view.shape.size(); ++i) width *= view.shape[i];
  return width;
}

// Of a matrix and a list of rows of it.
Result<RowPlan> PlanOf(const TensorView& matrix, const TensorView& list, const TensorView& ids) {
  if (ids.dtype != DType::kI64)
    return Status::InvalidArgument(std::string("ids of rows are i64, not ") + NameOf(ids.dtype));
  if (matrix.dtype != list.dtype) {
    return Status::InvalidArgument(std::string("rows of ") + NameOf(list.dtype) + " of a matrix of " +
                                   NameOf(matrix.dtype));
  }
  if (RowsOf(list) != ids.size() || WidthOf(list) != WidthOf(matrix)) {
    return Status::InvalidArgument(
        std::to_string(RowsOf(list)) + " rows of " + std::to_string(WidthOf(list)) + " elements for " +
        std::to_string(ids.size()) + " ids of rows of " + std::to_string(WidthOf(matrix)));
  }
  return RowPlan{static_cast<const std::int64_t*>(ids.data), static_cast<std::size_t>(ids.size()),
                 static_cast<std::size_t>(WidthOf(matrix)), RowsOf(matrix)};
}

}  // namespace

Status GatherRows(Stream* stream, const TensorView& to, const TensorView& from, const TensorView& ids) {
  const Result<RowPlan> plan = PlanOf(from, to, ids);
  PS_RETURN_IF_ERROR(plan.status());
  if (stream->device().kind == DeviceId::kCuda) return cuda::GatherRows(stream, plan.value(), to, from);
  return LaunchGatherRows(CpuLaunch(stream), plan.value(), to, from);
}

Status ScatterRows(Stream* stream, const TensorView& to, const TensorView& from, const TensorView& ids) {
  const Result<RowPlan> plan = PlanOf(to, from, ids);
  PS_RETURN_IF_ERROR(plan.status());
  if (stream->device().kind == DeviceId::kCuda) return cuda::ScatterRows(stream, plan.value(), to, from);
  return LaunchScatterRows(CpuLaunch(stream), plan.value(), to, from);
}

Status AddRows(Stream* stream, const TensorView& to, const TensorView& from, const TensorView& ids) {
  const Result<RowPlan> plan = PlanOf(to, from, ids);
  PS_RETURN_IF_ERROR(plan.status());
  if (stream->device().kind == DeviceId::kCuda) return cuda::AddRows(stream, plan.value(), to, from);
  return LaunchAddRows(CpuLaunch(stream), plan.value(), to, from);
}

Status UniqueRows(Stream* stream, const TensorView& ids, std::int64_t* count) {
  if (ids.dtype != DType::kI64)
    return Status::InvalidArgument(std::string("ids of rows are i64, not ") + NameOf(ids.dtype));
  if (stream->device().kind == DeviceId::kCuda) return cuda::UniqueRows(stream, ids, count);
  auto* const begin = static_cast<std::int64_t*>(ids.data);
  std::int64_t* const end = begin + ids.size();
  stream->Run([=] {
    std::sort(begin, end);
    *count = std::unique(begin, end) - begin;
  });
  return Status::Ok();
}

}  // namespace ps

#include "kvstore/key_layout.h"

#include <algorithm>
#include <limits>

namespace ps {
namespace {

// Codes of 1 and 2 bits fill their words, and arrays their cache lines.
constexpr std::int64_t kSliceUnit = 32;

TableSpec SpecFor(const std::string& table, const KeyLayout& layout, const KeyPlan& plan) {
  TableSpec spec;
  spec.name = table;
  spec.dtype = layout.dtype;
  spec.consistency = plan.type.consistency;
  // Without an optimizer the sum of a round replaces the value; elsewhere there is no sum to replace it with.
  const bool is_synchronous = plan.type.is_synchronous();
  spec.updater = is_synchronous ? "assign" : kNoUpdater;
  if (plan.keeps_whole) {
    spec.updater = plan.optimizer.name;
    spec.updater_options = plan.optimizer.options;
  }
  spec.apply = is_synchronous ? TableSpec::kMerged : TableSpec::kEach;
  spec.mean = plan.mean;
  if (plan.type.is_distributed) {
    spec.push_codec = plan.compression.push;
    spec.pull_codec = plan.compression.pull;
  }
  spec.min_split = plan.keeps_whole ? std::numeric_limits<std::int64_t>::max()
                                    : std::max<std::int64_t>(plan.bigarray_bound - 1, 0);
  return spec;
}

void AddSlices(const KeySpace& space, const KVKey& key, const KeyPlan& plan, std::int64_t size,
               KeyLayout* layout) {
  const auto element_bytes = static_cast<std::int64_t>(SizeOf(layout->dtype));
  const std::int64_t wanted = plan.slice_bytes / element_bytes / kSliceUnit * kSliceUnit;
  constexpr auto kMost = static_cast<std::int64_t>(KeyLayout::kMaxSlices);
  const std::int64_t least = ((size + kMost - 1) / kMost + kSliceUnit - 1) / kSliceUnit * kSliceUnit;
  const std::int64_t length = std::max({wanted, least, kSliceUnit});
  for (std::int64_t begin = 0; begin < size; begin += length) {
    TableSpec spec = SpecFor(space.TableOf(key, layout->tables.size()), *layout, plan);
    spec.rows = 1;
    spec.width = std::min(length, size - begin);
    spec.min_split = size;  // not less than the width; and slices of keys of two sizes are not the same
    layout->tables.push_back(std::move(spec));
    layout->begins.push_back(static_cast<std::size_t>(begin));
  }
}

}  // namespace

std::size_t KeyLayout::row_bytes() const {
  std::size_t elements = 1;
  for (std::size_t i = 1; i < shape.size(); ++i) elements *= static_cast<std::size_t>(shape[i]);
  return elements * SizeOf(dtype);
}

Result<KeyLayout> PlanKey(const KeySpace& space, const KVKey& key, const Tensor& value, const KeyPlan& plan) {
  const std::string name = "key " + key.ToString();
  if (value.is_none()) return Status::InvalidArgument(name + ": there is no value");
  KeyLayout layout;
  layout.shape = value.view().shape;
  layout.dtype = value.view().dtype;
  layout.is_row_sparse = value.is_row_sparse();
  const std::int64_t size =
      value.is_row_sparse()
          ? layout.num_rows() * static_cast<std::int64_t>(layout.row_bytes() / SizeOf(layout.dtype))
          : value.view().size();
  if (size <= 0) return Status::InvalidArgument(name + ": a value without elements");
  if (!plan.compression.push.is_none()) {
    if (layout.is_row_sparse)
      return Status::InvalidArgument(name +
                                     ": Gradient compression for row sparse storage type is not supported");
    const bool is_half_too = plan.compression.push.name != "2bit" && plan.compression.push.name != "1bit";
    if (layout.dtype != DType::kF32 && !is_half_too)
      return Status::InvalidArgument(
          name + ": Gradient compression is only supported for float32 type of parameters, not " +
          NameOf(layout.dtype));
  }
  const auto element_bytes = static_cast<std::int64_t>(SizeOf(layout.dtype));
  if (plan.slice_bytes > 0 && !layout.is_row_sparse && !plan.keeps_whole &&
      size * element_bytes > plan.slice_bytes) {
    AddSlices(space, key, plan, size, &layout);
    return layout;
  }
  TableSpec spec = SpecFor(space.TableOf(key), layout, plan);
  if (layout.is_row_sparse) {
    spec.rows = layout.num_rows();
    spec.width = size / spec.rows;
  } else if (size <= spec.min_split) {
    spec.rows = 1;  // one run of elements on one server
    spec.width = size;
  } else {
    spec.rows = size;  // any cut is fine
  }
  layout.tables = {std::move(spec)};
  layout.begins = {0};
  return layout;
}

}  // namespace ps

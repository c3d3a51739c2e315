#include "store/residuals.h"

#include <algorithm>
#include <string>

namespace ps {

Residuals::Residuals(const TableSpec& spec)
    : is_dense_(spec.kind == TableSpec::kDense),
      num_rows_(static_cast<std::size_t>(spec.rows)),
      width_(static_cast<std::size_t>(spec.width)) {}

float* Residuals::OfRow(std::uint64_t row) {
  if (is_dense_) {
    if (values_.empty()) values_.resize(num_rows_ * width_);
    return values_.data() + row * width_;
  }
  const auto [found, is_new] = begin_.try_emplace(row, values_.size());
  if (is_new) values_.resize(values_.size() + width_);
  return values_.data() + found->second;
}

float* Residuals::OfRange(std::uint64_t first_row, std::size_t /*count*/) { return OfRow(first_row); }

Result<std::vector<float>> Residuals::Copy(const std::uint64_t* rows, std::size_t count) {
  std::vector<std::uint64_t> sorted(rows, rows + count);
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice != sorted.end())
    return Status::InvalidArgument(
        "row " + std::to_string(*twice) +
        " is listed twice, which this table's codec cannot do: add the two up first");
  std::vector<float> residuals(count * width_);
  for (std::size_t i = 0; i < count; ++i) std::copy_n(OfRow(rows[i]), width_, residuals.data() + i * width_);
  return residuals;
}

void Residuals::PutBack(const std::uint64_t* rows, std::size_t count, const std::vector<float>& residuals) {
  for (std::size_t i = 0; i < count; ++i) std::copy_n(residuals.data() + i * width_, width_, OfRow(rows[i]));
}

}  // namespace ps

#include "kvstore/row_ids.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>
#include <type_traits>

#include "device/visit_dtype.h"
#include "ps/half.h"

namespace ps {
namespace {

constexpr double kExactFloats = 16777216;  // 2^24: all whole numbers below it are floats

Status NotAnId(double value) {
  return Status::InvalidArgument("row_ids: " + std::to_string(value) +
                                 " as a float is no row: they are whole numbers below 2^24");
}

// Ids of one type, as 64-bit numbers.
template <typename T>
Status Append(const std::vector<char>& bytes, std::vector<std::uint64_t>* rows) {
  const std::size_t count = bytes.size() / sizeof(T);
  rows->reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    T id;
    std::memcpy(&id, bytes.data() + i * sizeof(T), sizeof(T));
    if constexpr (std::is_integral_v<T>) {
      if (std::is_signed_v<T> && id < T{0})
        return Status::InvalidArgument("row_ids: " + std::to_string(id) + " is below 0");
      rows->push_back(static_cast<std::uint64_t>(id));
    } else {
      const auto value = static_cast<double>(static_cast<float>(id));
      const auto exact = std::is_same_v<T, double> ? static_cast<double>(id) : value;
      // Not in this form: NaN, too.
      if (!(exact >= 0 && exact < kExactFloats &&
            exact == static_cast<double>(static_cast<std::uint64_t>(exact))))
        return NotAnId(exact);
      rows->push_back(static_cast<std::uint64_t>(exact));
    }
  }
  return Status::Ok();
}

Status AppendAs(DType dtype, const std::vector<char>& bytes, std::vector<std::uint64_t>* rows) {
  if (dtype == DType::kF16) return Append<Half>(bytes, rows);
  return VisitArithmetic(
      dtype, [&](auto type) { return Append<typename decltype(type)::Type>(bytes, rows); },
      [&] { return Status::InvalidArgument(std::string("row_ids can not be ") + NameOf(dtype)); });
}

}  // namespace

Result<std::vector<std::uint64_t>> ReadRowIds(const Tensor& ids, std::int64_t num_rows) {
  if (ids.is_none()) return Status::InvalidArgument("row_ids: there is no tensor");
  if (ids.is_row_sparse())
    return Status::InvalidArgument(
        "Expected default storage type for row_sparse_pull rowids, but detected storage type 1");
  std::vector<char> bytes(ids.view().bytes());
  ids.CopyTo(bytes.data());
  std::vector<std::uint64_t> rows;
  PS_RETURN_IF_ERROR(AppendAs(ids.view().dtype, bytes, &rows));
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  if (!rows.empty() && rows.back() >= static_cast<std::uint64_t>(num_rows))
    return Status::InvalidArgument("row_ids: row " + std::to_string(rows.back()) +
                                   " is not there: the key has " + std::to_string(num_rows) + " rows");
  return rows;
}

}  // namespace ps

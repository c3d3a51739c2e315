#include "device/row_sparse.h"

#include <cstring>
#include <string>

#include "base/copy.h"
#include "device/shape.h"

namespace ps {
namespace {

// A tensor's elements in the processor's memory; copied only where they lie elsewhere.
class OnHost {
 public:
  explicit OnHost(const Tensor& tensor) : data_(tensor.Data()) {
    if (tensor.view().device.kind == DeviceId::kCpu) return;
    copy_.resize(tensor.view().bytes());
    tensor.CopyTo(copy_.data());
    data_ = copy_.data();
  }
  OnHost(const OnHost&) = delete;
  OnHost& operator=(const OnHost&) = delete;

  template <typename T>
  const T* As() const {
    return static_cast<const T*>(data_);
  }

 private:
  const void* data_;
  std::vector<char> copy_;
};

Status CheckParts(const Shape& shape, const Tensor& ids, const Tensor& values) {
  if (shape.empty())
    return Status::InvalidArgument("a row-sparse tensor needs a shape with at least one dimension");
  PS_RETURN_IF_ERROR(BytesOfShape(shape, DType::kU8).status());
  if (ids.is_none() || values.is_none() || ids.is_row_sparse() || values.is_row_sparse())
    return Status::InvalidArgument("a row-sparse tensor is made of two dense ones, ids and values");
  if (ids.view().dtype != DType::kI64 || ids.view().shape.size() != 1)
    return Status::InvalidArgument("row ids are i64 of one dimension, not " + Describe(ids.view()));
  Shape expected = shape;
  expected[0] = ids.view().shape[0];
  if (values.view().shape != expected)
    return Status::InvalidArgument("the values of " + std::to_string(expected[0]) + " rows of " +
                                   ToString(shape) + " have the shape " + ToString(expected) + ", not " +
                                   ToString(values.view().shape));
  if (ids.view().device != values.view().device)
    return Status::InvalidArgument("row ids on " + ToString(ids.view().device) + " and values on " +
                                   ToString(values.view().device) + ": they must lie on one device");
  return Status::Ok();
}

}  // namespace

Status CheckRows(const Shape& shape, const Tensor& ids, const Tensor& values) {
  PS_RETURN_IF_ERROR(CheckParts(shape, ids, values));
  const OnHost host(ids);
  const auto* const id = host.As<std::int64_t>();
  const std::int64_t num_ids = ids.view().size();
  for (std::int64_t i = 0; i < num_ids; ++i) {
    const bool ascends = i == 0 || id[i] > id[i - 1];
    if (ascends && id[i] >= 0 && id[i] < shape[0]) continue;
    const std::string which = "row id " + std::to_string(id[i]) + " at place " + std::to_string(i);
    if (ascends)
      return Status::InvalidArgument(which + " is none of the " + std::to_string(shape[0]) + " rows of " +
                                     ToString(shape));
    return Status::InvalidArgument(which + " follows " + std::to_string(id[i - 1]) +
                                   ": row ids ascend, each once");
  }
  return Status::Ok();
}

void CopyRowsTo(const Tensor& rows, void* host) {
  const OnHost ids(rows.ids());
  const OnHost values(rows.values());
  const std::size_t bytes = rows.view().bytes();
  if (bytes == 0) return;
  const std::size_t row_bytes = bytes / static_cast<std::size_t>(rows.view().shape[0]);
  auto* const to = static_cast<char*>(host);
  std::memset(to, 0, bytes);
  const std::int64_t num_ids = rows.ids().view().size();
  for (std::int64_t i = 0; i < num_ids; ++i) {
    const auto row = static_cast<std::size_t>(ids.As<std::int64_t>()[i]);
    CopyBytes(to + row * row_bytes, values.As<char>() + static_cast<std::size_t>(i) * row_bytes, row_bytes);
  }
}

}  // namespace ps

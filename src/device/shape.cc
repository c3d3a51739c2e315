#include "device/shape.h"

#include <cstdint>
#include <limits>

namespace ps {

std::string ToString(const Shape& shape) {
  std::string text = "[";
  for (std::size_t i = 0; i < shape.size(); ++i) text += (i == 0 ? "" : ",") + std::to_string(shape[i]);
  return text + "]";
}

std::string Describe(const TensorView& view) {
  return std::string(NameOf(view.dtype)) + " " + ToString(view.shape) + " on " + ToString(view.device);
}

Result<std::size_t> BytesOfShape(const Shape& shape, DType dtype) {
  if (!IsDType(static_cast<std::uint8_t>(dtype)))
    return Status::InvalidArgument("there is no element type with the code " +
                                   std::to_string(static_cast<int>(dtype)));
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  auto bytes = static_cast<std::int64_t>(SizeOf(dtype));
  bool is_too_large = false;
  bool is_empty = false;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] < 0)
      return Status::InvalidArgument("the length of dimension " + std::to_string(i) + " of the shape " +
                                     ToString(shape) + " is below 0");
    is_empty = is_empty || shape[i] == 0;
    is_too_large = is_too_large || (shape[i] > 0 && bytes > kMost / shape[i]);
    if (!is_too_large && shape[i] > 0) bytes *= shape[i];
  }
  // TensorView::size() multiplies from the front: it must not overflow before it comes to the 0.
  if (is_too_large)
    return Status::InvalidArgument("no memory holds the shape " + ToString(shape) + " of " + NameOf(dtype));
  return is_empty ? std::size_t{0} : static_cast<std::size_t>(bytes);
}

}  // namespace ps

// Casts and constants of whole arrays, with any launcher. Arguments were checked.
#ifndef PS_DEVICE_CASTS_H_
#define PS_DEVICE_CASTS_H_

#include <cstddef>
#include <cstring>
#include <string>

#include "device/rules/add.h"
#include "device/rules/cast.h"
#include "device/visit_dtype.h"
#include "ps/status.h"
#include "ps/tensor.h"

namespace ps {
namespace internal {

// Of all dtypes: bool is rules::Truth.
template <typename Visitor>
Status VisitCastable(DType dtype, const Visitor& visitor) {
  if (dtype == DType::kBool) return visitor(TypeOf<rules::Truth>());
  return VisitNumber(dtype, visitor, [&] {
    return Status::InvalidArgument("no element type has the code " + std::to_string(static_cast<int>(dtype)));
  });
}

}  // namespace internal

template <typename Launch>
Status LaunchCast(const Launch& launch, const TensorView& to, const TensorView& from) {
  return internal::VisitCastable(to.dtype, [&](auto to_type) {
    return internal::VisitCastable(from.dtype, [&](auto from_type) {
      return launch.Elements(static_cast<std::size_t>(to.size()), rules::Cast(),
                             static_cast<typename decltype(to_type)::Type*>(to.data),
                             static_cast<const typename decltype(from_type)::Type*>(from.data));
    });
  });
}

template <typename Launch>
Status LaunchFill(const Launch& launch, const TensorView& to, double value) {
  return internal::VisitCastable(to.dtype, [&](auto type) {
    using T = typename decltype(type)::Type;
    return launch.Elements(static_cast<std::size_t>(to.size()), rules::Fill<T>{static_cast<T>(value)},
                           static_cast<T*>(to.data));
  });
}

}  // namespace ps

#endif  // PS_DEVICE_CASTS_H_

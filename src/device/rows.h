// Rows of matrices, with any launcher. Arguments were checked.
#ifndef PS_DEVICE_ROWS_H_
#define PS_DEVICE_ROWS_H_

#include <string>

#include "device/row_plan.h"
#include "device/rules/rows.h"
#include "device/visit_dtype.h"
#include "ps/status.h"
#include "ps/tensor.h"

namespace ps {
namespace internal {

inline Status NoSuchElements(const TensorView& view) {
  return Status::InvalidArgument(std::string("rows of ") + NameOf(view.dtype) + " can not be used like this");
}

}  // namespace internal

template <typename Launch>
Status LaunchGatherRows(const Launch& launch, const RowPlan& plan, const TensorView& to,
                        const TensorView& from) {
  return VisitBytes(
      SizeOf(to.dtype),
      [&](auto type) {
        using T = typename decltype(type)::Type;
        return launch.Rows(plan, rules::Gather(), static_cast<const T*>(from.data), static_cast<T*>(to.data));
      },
      [&] { return internal::NoSuchElements(to); });
}

template <typename Launch>
Status LaunchScatterRows(const Launch& launch, const RowPlan& plan, const TensorView& to,
                         const TensorView& from) {
  return VisitBytes(
      SizeOf(to.dtype),
      [&](auto type) {
        using T = typename decltype(type)::Type;
        return launch.Rows(plan, rules::Scatter(), static_cast<T*>(to.data),
                           static_cast<const T*>(from.data));
      },
      [&] { return internal::NoSuchElements(to); });
}

template <typename Launch>
Status LaunchAddRows(const Launch& launch, const RowPlan& plan, const TensorView& to,
                     const TensorView& from) {
  return VisitNumber(
      to.dtype,
      [&](auto type) {
        using T = typename decltype(type)::Type;
        return launch.Rows(plan, rules::AddListed(), static_cast<T*>(to.data),
                           static_cast<const T*>(from.data));
      },
      [&] { return internal::NoSuchElements(to); });
}

}  // namespace ps

#endif  // PS_DEVICE_ROWS_H_

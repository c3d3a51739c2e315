// Sums and means of whole arrays, with any launcher. Arguments were checked.
#ifndef PS_DEVICE_SUMS_H_
#define PS_DEVICE_SUMS_H_

#include <algorithm>
#include <cstddef>
#include <string>
#include <type_traits>
#include <vector>

#include "device/rules/sum.h"
#include "device/visit_dtype.h"
#include "ps/status.h"
#include "ps/tensor.h"

namespace ps {

constexpr std::size_t kAddendsAtATime = 4;

namespace internal {

// f(first[i]..., addends[0][i], ...) of 1 to 4 addends.
template <typename Launch, typename F, typename T, typename... First>
Status LaunchWith(const Launch& launch, std::size_t size, const F& f, const std::vector<const T*>& addends,
                  First*... first) {
  switch (addends.size()) {
    case 1: return launch.Elements(size, f, first..., addends[0]);
    case 2: return launch.Elements(size, f, first..., addends[0], addends[1]);
    case 3: return launch.Elements(size, f, first..., addends[0], addends[1], addends[2]);
    default: return launch.Elements(size, f, first..., addends[0], addends[1], addends[2], addends[3]);
  }
}

template <typename T, typename Launch>
Status LaunchSumOf(const Launch& launch, const TensorView& to, const std::vector<const void*>& from) {
  const auto size = static_cast<std::size_t>(to.size());
  T* const sum = static_cast<T*>(to.data);
  for (std::size_t at = 1; at < from.size(); at += kAddendsAtATime) {
    std::vector<const T*> addends;
    for (std::size_t i = at; i < std::min(at + kAddendsAtATime, from.size()); ++i)
      addends.push_back(static_cast<const T*>(from[i]));
    if (at == 1 && from[0] != to.data) {
      PS_RETURN_IF_ERROR(
          LaunchWith(launch, size, rules::SumOf(), addends, sum, static_cast<const T*>(from[0])));
    } else {
      PS_RETURN_IF_ERROR(LaunchWith(launch, size, rules::Sum(), addends, sum));
    }
  }
  return Status::Ok();
}

}  // namespace internal

// At least two sources.
template <typename Launch>
Status LaunchSum(const Launch& launch, const TensorView& to, const std::vector<const void*>& from) {
  return VisitNumber(
      to.dtype,
      [&](auto type) { return internal::LaunchSumOf<typename decltype(type)::Type>(launch, to, from); },
      [&] { return Status::InvalidArgument(std::string("there are no sums of ") + NameOf(to.dtype)); });
}

template <typename Launch>
Status LaunchScale(const Launch& launch, const TensorView& values, double factor) {
  return VisitFloat(
      values.dtype,
      [&](auto type) {
        using T = typename decltype(type)::Type;
        using W = std::conditional_t<std::is_same_v<T, double>, double, float>;
        return launch.Elements(static_cast<std::size_t>(values.size()),
                               rules::Scale<W>{static_cast<W>(factor)}, static_cast<T*>(values.data));
      },
      [&] {
        return Status::InvalidArgument(std::string("only floats are scaled, not ") + NameOf(values.dtype));
      });
}

}  // namespace ps

#endif  // PS_DEVICE_SUMS_H_

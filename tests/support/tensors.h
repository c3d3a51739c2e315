// Tensors of given values, and back.
#ifndef PS_TESTS_SUPPORT_TENSORS_H_
#define PS_TESTS_SUPPORT_TENSORS_H_

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "ps/half.h"
#include "ps/status.h"
#include "ps/tensor.h"

namespace ps {

template <typename T>
struct DTypeOf;
template <>
struct DTypeOf<float> : std::integral_constant<DType, DType::kF32> {};
template <>
struct DTypeOf<double> : std::integral_constant<DType, DType::kF64> {};
template <>
struct DTypeOf<Half> : std::integral_constant<DType, DType::kF16> {};
template <>
struct DTypeOf<BFloat16> : std::integral_constant<DType, DType::kBF16> {};
template <>
struct DTypeOf<std::uint8_t> : std::integral_constant<DType, DType::kU8> {};
template <>
struct DTypeOf<std::int8_t> : std::integral_constant<DType, DType::kI8> {};
template <>
struct DTypeOf<std::int16_t> : std::integral_constant<DType, DType::kI16> {};
template <>
struct DTypeOf<std::uint16_t> : std::integral_constant<DType, DType::kU16> {};
template <>
struct DTypeOf<std::int32_t> : std::integral_constant<DType, DType::kI32> {};
template <>
struct DTypeOf<std::uint32_t> : std::integral_constant<DType, DType::kU32> {};
template <>
struct DTypeOf<std::int64_t> : std::integral_constant<DType, DType::kI64> {};
template <>
struct DTypeOf<std::uint64_t> : std::integral_constant<DType, DType::kU64> {};

// Of one dimension.
template <typename T>
Tensor TensorOf(const std::vector<T>& values, const DeviceId& device = {}) {
  Tensor tensor = Tensor::Empty({static_cast<std::int64_t>(values.size())}, DTypeOf<T>::value, device);
  tensor.CopyFrom(values.data());
  return tensor;
}

// The whole array of a row-sparse one.
template <typename T>
std::vector<T> ValuesOf(const Tensor& tensor) {
  EXPECT_EQ(tensor.view().dtype, DTypeOf<T>::value);
  std::vector<T> values(static_cast<std::size_t>(tensor.view().size()));
  tensor.CopyTo(values.data());
  return values;
}

// What `call` throws as Error; Ok if it does not.
template <typename Call>
Status ThrownBy(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.status();
  }
  return Status::Ok();
}

// An operation that has written a tensor, or has failed to.
class EndedWrite final : public PendingWrite {
 public:
  explicit EndedWrite(Status outcome) : outcome_(std::move(outcome)) {}
  Status Wait(const std::chrono::milliseconds*) override { return outcome_; }

 private:
  const Status outcome_;
};

}  // namespace ps

#endif  // PS_TESTS_SUPPORT_TENSORS_H_

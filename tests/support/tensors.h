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

#include "ps/dtype_of.h"
#include "ps/status.h"
#include "ps/tensor.h"

namespace ps {

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

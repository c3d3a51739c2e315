// Tensors of a few values, and what tests expect of calls with them.
#ifndef PS_TESTS_SUPPORT_KV_VALUES_H_
#define PS_TESTS_SUPPORT_KV_VALUES_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "ps/status.h"
#include "ps/tensor.h"

namespace ps {

inline Tensor FloatsOf(const Shape& shape, const std::vector<float>& values, const DeviceId& device = {}) {
  Tensor tensor = Tensor::Empty(shape, DType::kF32, device);
  tensor.CopyFrom(values.data());
  return tensor;
}

// With one dimension.
inline Tensor FloatsOf(const std::vector<float>& values, const DeviceId& device = {}) {
  return FloatsOf({static_cast<std::int64_t>(values.size())}, values, device);
}

inline Tensor IdsOf(const std::vector<std::int64_t>& ids) {
  Tensor tensor = Tensor::Empty({static_cast<std::int64_t>(ids.size())}, DType::kI64);
  tensor.CopyFrom(ids.data());
  return tensor;
}

inline std::vector<float> ReadFloats(const Tensor& tensor) {
  std::vector<float> values(static_cast<std::size_t>(tensor.view().size()));
  tensor.CopyTo(values.data());
  return values;
}

inline std::vector<std::int64_t> ReadIds(const Tensor& tensor) {
  std::vector<std::int64_t> ids(static_cast<std::size_t>(tensor.view().size()));
  tensor.CopyTo(ids.data());
  return ids;
}

// `call` fails with a text that has this part.
template <typename Call>
void ExpectError(const Call& call, const std::string& part) {
  try {
    call();
    ADD_FAILURE() << "nothing was thrown; expected: " << part;
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

}  // namespace ps

#endif  // PS_TESTS_SUPPORT_KV_VALUES_H_

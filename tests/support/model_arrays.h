// Arrays as the devices of a SharedModel have them.
#ifndef PS_TESTS_SUPPORT_MODEL_ARRAYS_H_
#define PS_TESTS_SUPPORT_MODEL_ARRAYS_H_

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ps/dtype_of.h"
#include "ps/status.h"
#include "ps/tensor.h"

namespace ps {

// Of one dimension unless `shape` says another one. Borrows the vector.
template <typename T>
TensorView ViewOf(std::vector<T>* values, const Shape& shape = {}) {
  TensorView view;
  view.data = values->data();
  view.shape = shape.empty() ? Shape{static_cast<std::int64_t>(values->size())} : shape;
  view.dtype = DTypeOf<T>::value;
  return view;
}

// `code` throws an Error of this code, whose text has all of `parts`.
template <typename Code>
void ExpectRefused(StatusCode code, const std::vector<std::string>& parts, Code call) {
  try {
    call();
    ADD_FAILURE() << "nothing was thrown, where '" << parts.front() << "' was expected";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    for (const std::string& part : parts)
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos)
          << "'" << part << "' is not in: " << error.what();
  }
}

}  // namespace ps

#endif  // PS_TESTS_SUPPORT_MODEL_ARRAYS_H_

// Calls of the C interface as tests make them.
#ifndef PS_TESTS_SUPPORT_C_CALLS_H_
#define PS_TESTS_SUPPORT_C_CALLS_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "c_api/handles.h"
#include "ps/c_api.h"
#include "ps/dtype_of.h"

namespace ps {

// `result` of a call that must succeed.
inline void Ok(int result) { ASSERT_EQ(result, PS_OK) << PSGetLastError(); }

// `result` of a call that must fail with this code and a text that has this part.
inline void Fails(int result, int code, const std::string& part) {
  EXPECT_EQ(result, code) << PSGetLastError();
  EXPECT_EQ(PSGetLastErrorCode(), code);
  EXPECT_NE(std::string(PSGetLastError()).find(part), std::string::npos) << PSGetLastError();
}

// A PSTensor that frees itself.
class CTensor {
 public:
  CTensor() = default;
  explicit CTensor(PSTensor handle) : handle_(handle) {}
  CTensor(CTensor&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  CTensor& operator=(CTensor&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~CTensor() { PSTensorFree(handle_); }

  PSTensor get() const { return handle_; }
  PSTensor* out() { return &handle_; }

 private:
  PSTensor handle_ = nullptr;
};

inline PSTensorInfo InfoOf(PSTensor tensor) {
  PSTensorInfo info{};
  info.struct_size = sizeof info;
  Ok(PSTensorGetInfo(tensor, &info));
  return info;
}

// Memory of the library.
template <typename T>
CTensor MakeCTensor(const std::vector<std::int64_t>& shape, const std::vector<T>& values) {
  PSTensorInfo info{};
  info.struct_size = sizeof info;
  info.dtype = static_cast<int>(DTypeOf<T>::value);
  info.ndim = static_cast<int>(shape.size());
  info.shape = shape.data();
  CTensor tensor;
  Ok(PSTensorCreate(&info, tensor.out()));
  Ok(PSTensorCopyFrom(tensor.get(), values.data(), values.size() * sizeof(T)));
  return tensor;
}
template <typename T>
CTensor MakeCTensor(const std::vector<T>& values) {
  return MakeCTensor<T>({static_cast<std::int64_t>(values.size())}, values);
}

// All elements; of a row-sparse one the whole array.
template <typename T>
std::vector<T> ElementsOf(PSTensor tensor) {
  const PSTensorInfo info = InfoOf(tensor);
  EXPECT_EQ(info.dtype, static_cast<int>(DTypeOf<T>::value));
  std::size_t size = 1;
  for (int i = 0; i < info.ndim; ++i) size *= static_cast<std::size_t>(info.shape[i]);
  std::vector<T> values(size);
  Ok(PSTensorCopyTo(tensor, values.data(), size * sizeof(T)));
  return values;
}

// The test leaves as many handles behind as there were.
class HandleBalance {
 public:
  HandleBalance() : before_(c_api::Handles::Get().size()) {}
  HandleBalance(const HandleBalance&) = delete;
  HandleBalance& operator=(const HandleBalance&) = delete;
  ~HandleBalance() { EXPECT_EQ(c_api::Handles::Get().size(), before_); }

 private:
  const std::size_t before_;
};

}  // namespace ps

#endif  // PS_TESTS_SUPPORT_C_CALLS_H_

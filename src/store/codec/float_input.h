#ifndef PS_STORE_CODEC_FLOAT_INPUT_H_
#define PS_STORE_CODEC_FLOAT_INPUT_H_

#include <cstddef>

#include "ps/dtype.h"
#include "store/elements.h"

namespace ps {

// Elements of f32, f16 or bf16 as f32, a block at a time. Borrows them.
class FloatInput {
 public:
  static constexpr std::size_t kBlock = 256;

  FloatInput(const void* values, DType dtype) : values_(static_cast<const char*>(values)), dtype_(dtype) {}

  // At most kBlock elements from `at` on; valid until the next call.
  const float* Block(std::size_t at, std::size_t count) {
    if (dtype_ == DType::kF32) return reinterpret_cast<const float*>(values_) + at;
    WidenElements(dtype_, values_ + at * SizeOf(dtype_), block_, count);
    return block_;
  }

 private:
  const char* const values_;
  const DType dtype_;
  float block_[kBlock];
};

}  // namespace ps
#endif  // PS_STORE_CODEC_FLOAT_INPUT_H_

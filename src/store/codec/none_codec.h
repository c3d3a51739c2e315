#ifndef PS_STORE_CODEC_NONE_CODEC_H_
#define PS_STORE_CODEC_NONE_CODEC_H_

#include "store/codec/codec.h"

namespace ps {

// Values as they are, without a header.
class NoneCodec : public Codec {
 public:
  explicit NoneCodec(DType dtype) : element_bytes_(SizeOf(dtype)) {}

  std::size_t MaxBytes(std::size_t count) const override { return count * element_bytes_; }
  Result<std::size_t> Encode(const void* values, std::size_t count, float* residual, char* to) const override;
  Status Decode(const char* bytes, std::size_t size, std::size_t count, void* values) const override;

 private:
  const std::size_t element_bytes_;
};

}  // namespace ps
#endif  // PS_STORE_CODEC_NONE_CODEC_H_

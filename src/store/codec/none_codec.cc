#include "store/codec/none_codec.h"

#include <string>

#include "base/copy.h"

namespace ps {

Result<std::size_t> NoneCodec::Encode(const void* values, std::size_t count, float* /*residual*/,
                                      char* to) const {
  CopyBytes(to, values, MaxBytes(count));
  return MaxBytes(count);
}

Status NoneCodec::Decode(const char* bytes, std::size_t size, std::size_t count, void* values) const {
  if (size != MaxBytes(count)) {
    return Status::InvalidArgument("values of " + std::to_string(size) + " bytes should have " +
                                   std::to_string(MaxBytes(count)));
  }
  CopyBytes(values, bytes, size);
  return Status::Ok();
}

}  // namespace ps

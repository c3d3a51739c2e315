#include "store/codec/one_bit_codec.h"

#include <cmath>
#include <string>

#include "device/rules/one_bit.h"
#include "store/codec/packed_codec.h"

namespace ps {

Result<std::unique_ptr<Codec>> MakeOneBitCodec(double threshold, DType dtype) {
  PS_RETURN_IF_ERROR(CheckCompressible("1bit", dtype));
  const auto bound = static_cast<float>(threshold);
  if (!std::isfinite(bound)) {
    return Status::InvalidArgument("codec 1bit: threshold must be a number, not " +
                                   std::to_string(threshold));
  }
  return std::unique_ptr<Codec>(
      std::make_unique<PackedCodec<rules::OneBit>>(CodecHeader::kOneBit, rules::OneBit{bound}, dtype));
}

}  // namespace ps

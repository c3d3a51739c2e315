#include "store/codec/two_bit_codec.h"

#include <cmath>
#include <string>

#include "device/rules/two_bit.h"
#include "store/codec/packed_codec.h"

namespace ps {

Result<std::unique_ptr<Codec>> MakeTwoBitCodec(double threshold, DType dtype) {
  PS_RETURN_IF_ERROR(CheckCompressible("2bit", dtype));
  const auto step = static_cast<float>(threshold);
  if (!(step > 0) || !std::isfinite(step)) {
    return Status::InvalidArgument("codec 2bit: threshold must be greater than 0, not " +
                                   std::to_string(threshold));
  }
  return std::unique_ptr<Codec>(
      std::make_unique<PackedCodec<rules::TwoBit>>(CodecHeader::kTwoBit, rules::TwoBit{step}, dtype));
}

}  // namespace ps

#ifndef PS_STORE_CODEC_HALF_CODEC_H_
#define PS_STORE_CODEC_HALF_CODEC_H_

#include <memory>

#include "store/codec/codec.h"

namespace ps {

// Floats as 16-bit ones, rounded to the nearest (f64 through f32). NaN and infinity arrive as such; a number
// that would become infinite is kInvalidArgument. They take no parameter. kInvalidArgument: no float dtype.
Result<std::unique_ptr<Codec>> MakeF16Codec(double parameter, DType dtype);
Result<std::unique_ptr<Codec>> MakeBF16Codec(double parameter, DType dtype);

}  // namespace ps
#endif  // PS_STORE_CODEC_HALF_CODEC_H_

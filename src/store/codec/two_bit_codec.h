#ifndef PS_STORE_CODEC_TWO_BIT_CODEC_H_
#define PS_STORE_CODEC_TWO_BIT_CODEC_H_

#include <memory>

#include "store/codec/codec.h"

namespace ps {

// A 16th of f32: per element a step of +threshold, one of -threshold, or none; what is left is kept back, and
// comes with a later push. A gradient that stays above the threshold is never caught up with.
// kInvalidArgument: the threshold is not above 0 (as f32), or the dtype is not f32, f16 or bf16.
Result<std::unique_ptr<Codec>> MakeTwoBitCodec(double threshold, DType dtype);

}  // namespace ps
#endif  // PS_STORE_CODEC_TWO_BIT_CODEC_H_

#ifndef PS_STORE_CODEC_ONE_BIT_CODEC_H_
#define PS_STORE_CODEC_ONE_BIT_CODEC_H_

#include <memory>

#include "store/codec/codec.h"

namespace ps {

// A 32nd of f32: per element a step of +1 where the gradient with what was kept back is above the threshold,
// else of -1. So 0 does not stay 0: it swings around it. kInvalidArgument: the threshold is not finite, or
// the dtype is not f32, f16 or bf16.
Result<std::unique_ptr<Codec>> MakeOneBitCodec(double threshold, DType dtype);

}  // namespace ps
#endif  // PS_STORE_CODEC_ONE_BIT_CODEC_H_

#ifndef PS_STORE_CODEC_TOP_K_CODEC_H_
#define PS_STORE_CODEC_TOP_K_CODEC_H_

#include <memory>

#include "store/codec/codec.h"

namespace ps {

// The elements of largest magnitude as pairs: ceil(share x count) of them (of equal ones the first), but no
// zeros. The others are kept back and come with a later push. kInvalidArgument: the share is not in (0, 1],
// or the dtype is not f32, f16 or bf16.
Result<std::unique_ptr<Codec>> MakeTopKCodec(double share, DType dtype);

}  // namespace ps
#endif  // PS_STORE_CODEC_TOP_K_CODEC_H_

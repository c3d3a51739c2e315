#ifndef PS_STORE_CODEC_SPARSE_CODEC_H_
#define PS_STORE_CODEC_SPARSE_CODEC_H_

#include <memory>

#include "store/codec/codec.h"

namespace ps {

// Pairs of index and value of the elements whose magnitude is above `clip`; the others arrive as 0 (-0 too).
// If that is half of them or more, all are sent as they are. For every dtype, exact to the bit for what is
// sent; NaN counts as above. After Multiverso's SparseFilter, whose pairs were exact for 4-byte values only.
// kInvalidArgument: `clip` is negative or not finite.
Result<std::unique_ptr<Codec>> MakeSparseCodec(double clip, DType dtype);

}  // namespace ps
#endif  // PS_STORE_CODEC_SPARSE_CODEC_H_

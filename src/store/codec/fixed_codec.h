#ifndef PS_STORE_CODEC_FIXED_CODEC_H_
#define PS_STORE_CODEC_FIXED_CODEC_H_

#include <memory>

#include "store/codec/codec.h"

namespace ps {

// 1 to 4 bytes per number: steps between the least and the largest one, rounded at random so that the mean is
// right (the OSDI'14 parameter server's fixing float, without its bias). Equal numbers arrive exactly. The
// random numbers are one stream per codec and follow from its number of calls and from the least and the
// largest number: the same calls give the same bytes, and two workers with different gradients do not err
// alike. kInvalidArgument: another number of bytes, or no float dtype; of values: they are not finite.
Result<std::unique_ptr<Codec>> MakeFixedCodec(double bytes, DType dtype);

}  // namespace ps
#endif  // PS_STORE_CODEC_FIXED_CODEC_H_
